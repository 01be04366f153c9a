"""A port beside its original: at the given inputs, and at others, so that no constant of one run is baked in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

import torch

from bridge.clr.find import installation
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.targets import DotNetTarget
from bridge.compare.models.weights import share
from bridge.compare.result import Comparison
from bridge.port.attention import is_masked, without_fused
from bridge.port.notes import summary
from bridge.port.porting import Port
from bridge.port.standing_in import stand_in
from bridge.trace.diff.phrases import plural

#: By how much a further size differs: what nets make smaller five times by half stays whole.
_STEP = 32


def can_build() -> bool:
    """Whether there is an SDK of .NET."""
    try:
        installation.find_dotnet(sdk=True)
    except installation.DotNetNotFound:
        return False
    return True


def report(folder: Path, port: Port, judged: Sequence[tuple[str, Comparison]] | None, why: str = "") -> list[str]:
    """Return the lines to print: a verdict for each shape, each exception once, what is left to do, and the size.

    ``judged`` is None where nothing was built: ``why``.
    """
    found: list[str] = []
    for shape, one in judged or ():
        found.append(f"{shape}: {one.verdict}")
        raised = indent(one.raised, "  ")
        found += [raised] if raised and raised not in found else []
    if judged is not None and port.left:
        around = "The original's methods ran in its place, with the children in C#:"
        nothing = "Not compared: it calls nothing that is in C#."
        places = plural(len(port.left), "place")
        found.insert(0, f"Built, {places} left to do. {around if judged else nothing}")
    found += [f"Left to do: {left.where} ({left.place}): {left.why}." for left in port.left]
    if judged is None:
        found.append(f"Neither built nor compared: {why}")
    left = plural(len(port.left), "method") if port.left else "nothing"
    found.append(f"{folder}: {summary(port)}, {left} left to do.")
    return found


def judge(
    model: torch.nn.Module,
    project: Path,
    root: str,
    arguments: Mapping[str, Any],
    *,
    seed: int,
    step: Callable[[str], None],
    modes: Sequence[bool] = (False,),
    backward: bool = False,
    unfinished: Collection[type] = (),
) -> list[tuple[str, Comparison]]:
    """Builds the port, gives it the weights, and compares; the comparisons by the shape they were made at.

    ``modes`` are eval (False) and train mode (True), each at every shape that the original takes in that mode. With ``backward``
    gradients are compared, too. In the place of modules whose class is ``unfinished`` the original's methods run (:mod:`.standing_in`); how
    many calls ran in C# is then said with the shape, and where none did there is no comparison. Raises CompareError where it cannot be
    built or run, in one of the modes at no shape. With masks PyTorch attends by its operators, not by fused kernels, which round otherwise.
    """
    step(f"building {project.name}")
    port = DotNetTarget(project, root).make()
    share("python", model, port)
    replaced = stand_in(model, port, unfinished, arguments)
    found: list[tuple[str, Comparison]] = []
    masked = is_masked(model, arguments)
    for train in modes:
        every = list(_inputs(arguments, seed))
        taken = [one for one in every if (one is every[0] and not train) or _takes(model, one, train)]
        for tried in taken or every[:1]:  # where the original takes none, comparing says why
            shape = ", ".join(
                "x".join(map(str, value.shape)) for value in tried.values() if isinstance(value, torch.Tensor)
            )
            with without_fused(masked):
                one = compare(
                    model, port, Inputs(tuple(tried.values())), train=train, backward=backward, seed=seed, step=step
                )
            shape += ", train mode" if train else ""
            if replaced:
                calls = [event.path for event in one.dotnet.trace if event.phase == "pre"]
                ours = sum(path not in replaced for path in calls)
                if not ours:
                    continue
                shape += f", {ours} of {plural(len(calls), 'module call')} in C#"
            found.append((shape, one))
    return found


def _inputs(arguments: Mapping[str, Any], seed: int) -> Iterator[dict[str, Any]]:
    yield dict(arguments)
    generator = torch.Generator().manual_seed(seed + 1)
    for batch, longer in ((2, 0), (1, _STEP)):
        yield {name: _other(value, batch, longer, generator) for name, value in arguments.items()}


def _other(value: Any, batch: int, longer: int, generator: torch.Generator) -> Any:
    """A tensor of the same kind with ``batch`` times as many entries, or with larger last dimensions."""
    if not isinstance(value, torch.Tensor) or not value.dim():
        return value
    shape = [value.shape[0] * batch, *value.shape[1:]]
    for dim in range(2 if value.dim() > 3 else 1, len(shape)):
        shape[dim] += longer
    if value.is_floating_point():
        return torch.rand(shape, generator=generator, dtype=value.dtype)
    return torch.randint(0, int(value.max()) + 1, shape, generator=generator, dtype=value.dtype)


def _takes(model: torch.nn.Module, arguments: Mapping[str, Any], train: bool) -> bool:
    """Whether the original runs with these; its buffers and random numbers are afterwards as before."""
    buffers = {name: value.clone() for name, value in model.named_buffers()}
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=()):
            model.train(train)(**arguments)
    except Exception:  # whatever the user's model raises: then it does not take them
        return False
    finally:
        model.eval()
        for name, value in model.named_buffers():
            value.copy_(buffers[name])
    return True
