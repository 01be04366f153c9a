"""Comparisons of a port with its original: with the given inputs, and with inputs of other sizes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from bridge.clr.find import installation
from bridge.compare.comparison import compare
from bridge.compare.errors import TargetError
from bridge.compare.io.inputs import Inputs, calls_itself
from bridge.compare.models.targets import DotNetTarget
from bridge.compare.models.weights import share
from bridge.compare.result import Comparison
from bridge.port.forwards.attention import is_masked, without_fused
from bridge.port.observe.modules import is_layer
from bridge.port.observe.state import keep_state
from bridge.port.verify.substitution import substitute_forwards
from hook_contract.output.sentences import plural

#: The number that is added to a size to get a larger one. Models that halve a size five times need a multiple of 32.
_STEP = 32


def can_build() -> bool:
    """Return whether a .NET SDK is installed."""
    try:
        installation.find_dotnet(sdk=True)
    except installation.DotNetNotFound:
        return False
    return True


def new_port(
    model: torch.nn.Module,
    project: Path,
    root: str,
    keywords: Mapping[str, Any] = MappingProxyType({}),
    runtime: str = "dotnet",
) -> torch.nn.Module:
    """Return a port with the weights of ``model``; ``keywords`` are its constructor's arguments. Raises CompareError.

    It is built first if ``project`` is no assembly. With the ``runtime`` ``torchsharp``, it runs on TorchSharp itself, in its own process.
    """
    port = DotNetTarget(project, root, keywords=keywords, runtime=runtime).make()
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
    keywords: Mapping[str, Any] = MappingProxyType({}),
    runtime: str = "dotnet",
) -> list[tuple[str, Comparison]]:
    """Compare a port that gets the original's weights with the original. Return each comparison and, as text, its inputs' shapes.

    ``keywords`` are the arguments of the C# constructor; ``runtime`` is passed to :func:`new_port`.

    ``modes`` has False for eval mode and True for train mode; in each, all shapes that the original accepts are compared. With
    ``backward``, gradients are compared, too. Modules whose class is in ``unfinished`` run the original's methods
    (:func:`bridge.port.verify.substitution.substitute_forwards`). The text then also has the number of calls in C#; a comparison
    without a call in C# is left out. Attention with masks runs by PyTorch's operators, since its fused kernels round differently. Raises
    CompareError if the port cannot be built, or cannot be run in one of the modes.
    """
    step(f"building {project.name}")
    port = new_port(model, project, root, keywords, runtime)
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
            with without_fused(masked), without_built(model), called_as_modules(model):
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


@contextmanager
def without_built(model: torch.nn.Module) -> Iterator[None]:
    """Keep PyTorch's hooks from seeing layers without weights that a forward constructs, since C# calls functions in their place."""
    of_tree, call = frozenset(model.modules()), torch.nn.Module.__call__

    def called(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        built = is_layer(module) and module not in of_tree and not module.state_dict()
        return module.forward(*args, **kwargs) if built else call(module, *args, **kwargs)

    setattr(torch.nn.Module, "__call__", called)  # noqa: B010  # mypy forbids to assign a method
    try:
        yield
    finally:
        setattr(torch.nn.Module, "__call__", call)  # noqa: B010  # mypy forbids to assign a method


@contextmanager
def called_as_modules(model: torch.nn.Module) -> Iterator[None]:
    """Let PyTorch's hooks see calls of modules whose class defines ``__call__`` instead of forward, as they see calls of C# modules."""
    kinds = {type(one): type(one).__call__ for one in model.modules() if calls_itself(type(one))}
    before = {
        kind: {name: vars(kind)[name] for name in ("__call__", "forward") if name in vars(kind)} for kind in kinds
    }
    for kind, own in kinds.items():
        setattr(kind, "forward", own)  # noqa: B010  # mypy forbids to assign a method
        setattr(kind, "__call__", torch.nn.Module.__call__)  # noqa: B010  # mypy forbids to assign a method
    try:
        yield
    finally:
        for kind, members in before.items():
            for name in ("__call__", "forward"):
                delattr(kind, name)
            for name, member in members.items():
                setattr(kind, name, member)


def judge_on_torchsharp(
    model: torch.nn.Module,
    assembly: Path,
    root: str,
    arguments: Mapping[str, Any],
    *,
    seed: int,
    step: Callable[[str], None],
    keywords: Mapping[str, Any] = MappingProxyType({}),
) -> list[tuple[str, Comparison]]:
    """Compare a port on TorchSharp itself with the original, in eval mode. Raises CompareError, also without TorchSharp."""
    found = judge(model, assembly, root, arguments, seed=seed, step=step, keywords=keywords, runtime="torchsharp")
    versions = [one.dotnet.trace.header.runtime_version if one.dotnet.trace.header else "" for _, one in found]
    if not all(version.startswith("TorchSharp") for version in versions):
        raise TargetError(f"{assembly.name} was built without TorchSharp, which is not in NuGet's cache.")
    return [
        (f"{shape}, on {version.split(',')[0]}", one) for (shape, one), version in zip(found, versions, strict=True)
    ]


def _inputs(arguments: Mapping[str, Any], seed: int) -> Iterator[dict[str, Any]]:
    yield dict(arguments)
    generator = torch.Generator().manual_seed(seed + 1)
    for batch, longer in ((2, 0), (1, _STEP)):
        yield {name: _other(value, batch, longer, generator) for name, value in arguments.items()}


def _other(value: Any, batch: int, longer: int, generator: torch.Generator) -> Any:
    """Return a random tensor of another shape for a tensor with dimensions; any other value as it is.

    The first size is multiplied by ``batch``, and ``longer`` is added to the others, except to the channels of an image.
    """
    if not isinstance(value, torch.Tensor) or not value.dim():
        return value
    shape = [value.shape[0] * batch, *value.shape[1:]]
    for dim in range(2 if value.dim() > 3 else 1, len(shape)):
        shape[dim] += longer
    if value.is_floating_point():
        return torch.rand(shape, generator=generator, dtype=value.dtype)
    return torch.randint(0, int(value.max()) + 1, shape, generator=generator, dtype=value.dtype)


def _takes(model: torch.nn.Module, arguments: Mapping[str, Any], train: bool) -> bool:
    """Return whether the original accepts the arguments. Restores its state and the random state, and sets eval mode."""
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=()), keep_state(model):
            model.train(train)(**arguments)
    except Exception:  # whatever the user's model raises: then it does not take them
        return False
    finally:
        model.eval()
    return True
