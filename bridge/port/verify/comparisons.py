"""Comparisons of a port with its original: with the given inputs, and with inputs of other sizes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from bridge.clr.find import installation
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.targets import DotNetTarget
from bridge.compare.models.weights import share
from bridge.compare.result import Comparison
from bridge.port.forwards.attention import is_masked, without_fused
from bridge.port.verify.substitution import substitute_forwards
from bridge.trace.diff.phrases import plural

#: How much larger other sizes are. Nets that halve a size five times need a multiple of 32.
_STEP = 32


def can_build() -> bool:
    """Return whether there is a .NET SDK."""
    try:
        installation.find_dotnet(sdk=True)
    except installation.DotNetNotFound:
        return False
    return True


def new_port(model: torch.nn.Module, project: Path, root: str) -> torch.nn.Module:
    """Return a port with the weights of ``model``. Build it first if ``project`` is no assembly. Raises CompareError."""
    port = DotNetTarget(project, root).make()
    share("python", model, port)
    return port


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
    """Compare a port that gets the original's weights with the original. Return each comparison and, as text, its inputs' shapes.

    ``modes`` has False for eval mode and True for train mode; in each, all shapes that the original accepts are compared. With
    ``backward``, gradients are compared, too. Modules whose class is in ``unfinished`` run the original's methods
    (:func:`bridge.port.verify.substitution.substitute_forwards`). The text then also has the number of calls in C#; if there is none,
    the comparison is left out. Attention with masks runs by PyTorch's operators, since its fused kernels round differently. Raises
    CompareError if the port cannot be built, or cannot be run in one of the modes.
    """
    step(f"building {project.name}")
    port = new_port(model, project, root)
    replaced = substitute_forwards(model, port, unfinished, arguments)
    found: list[tuple[str, Comparison]] = []
    masked = is_masked(model, arguments)
    for train in modes:
        every = list(_inputs(arguments, seed))
        taken = [one for one in every if (one is every[0] and not train) or _takes(model, one, train)]
        for tried in taken or every[:1]:  # if the original takes none, this comparison says why
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
    """Return a tensor whose first dimension is ``batch`` times as large, and the others, except channels, larger by ``longer``."""
    if not isinstance(value, torch.Tensor) or not value.dim():
        return value
    shape = [value.shape[0] * batch, *value.shape[1:]]
    for dim in range(2 if value.dim() > 3 else 1, len(shape)):
        shape[dim] += longer
    if value.is_floating_point():
        return torch.rand(shape, generator=generator, dtype=value.dtype)
    return torch.randint(0, int(value.max()) + 1, shape, generator=generator, dtype=value.dtype)


def _takes(model: torch.nn.Module, arguments: Mapping[str, Any], train: bool) -> bool:
    """Return whether the original accepts the arguments. Restores its buffers and the random state, and sets eval mode."""
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
