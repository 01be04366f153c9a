"""Behaviour of a model that no exported file has: changes from call to call, random numbers, changed buffers and inputs."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import torch
from torch.nn.modules import module as torch_module

from bridge.compare.errors import describe
from bridge.compare.run import one_thread
from bridge.exporting.dimensions import find_tensors
from bridge.exporting.errors import ExportError, find_module, name_module
from bridge.runtimes import record
from bridge.torchsharp.classes import ON_TORCHSHARP
from bridge.trace import Trace

#: Arguments by position and by name.
Values: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]


def copy_model(model: torch.nn.Module) -> torch.nn.Module:
    """Return a copy of the model, whose runs change nothing in the original. Raises ExportError."""
    try:
        return copy.deepcopy(model)
    except Exception as error:
        raise ExportError(f"the model cannot be copied, and an export runs a copy. {describe(error)}") from error


def check_model(model: torch.nn.Module) -> None:
    """Raise ExportError for a model that is not a torch.nn.Module, runs on TorchSharp itself, or is in training mode."""
    if not isinstance(model, torch.nn.Module):
        raise ExportError(f"the model is a {type(model).__name__}, not a torch.nn.Module.")
    for path, module in model.named_modules():
        if isinstance(module, ON_TORCHSHARP):
            raise ExportError(
                f"{name_module(path)} runs on TorchSharp itself, which PyTorch cannot trace: load the model without runtime=.",
                path,
            )
        if module.training:
            raise ExportError(
                f"{name_module(path)} is in training mode, in which dropout and batch normalization work differently: call "
                "model.eval() first.",
                path,
            )


def check_calls(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], other: Values, seed: int) -> Any:
    """Run copies of the model several times on equal inputs, and once on other inputs before; return the result.

    Raises ExportError, with the path of a module, if a call changes a buffer, a parameter or an input, if results depend on earlier
    calls, or if the model draws random numbers.
    """
    original, model = model, copy_model(model)
    state = {name: value.clone() for name, value in _tensors(model)}
    with one_thread(), torch.random.fork_rng(devices=[]):
        first, result = _run(model, args, kwargs, seed)
        for name, value in _tensors(model):
            if name in state and not _same(value, state[name]):
                owner, _, own = name.rpartition(".")
                raise ExportError(
                    f"a call of {name_module(owner)} changes its tensor '{own}', and a file keeps no changes from call to call.",
                    owner,
                )
        again, _ = _run(model, args, kwargs, seed)
        if (path := find_difference(first, again)) is not None:
            raise ExportError(
                f"{name_module(path)} gives another result when it is called again with the same inputs: it keeps something from call "
                "to call, or reads a clock or a random generator of its own. The file would have the first result.",
                path,
            )
        reseeded, _ = _run(model, args, kwargs, seed + 1)
        if (path := find_difference(first, reseeded)) is not None:
            raise ExportError(
                f"{name_module(path)} draws random numbers, and its result depends on them. Pass them to the model as an input.",
                path,
            )
        model = copy_model(original)
        if runs(model, other):
            later, _ = _run(model, args, kwargs, seed)
            if (path := find_difference(first, later)) is not None:
                raise ExportError(
                    f"{name_module(path)} gives another result after a call with other inputs: it keeps something from its first call. The "
                    "file would have that of the given inputs.",
                    path,
                )
    return result


def _tensors(model: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the parameters and buffers with their names."""
    yield from model.named_parameters()
    yield from model.named_buffers()


def call(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the model, and return its result. Raises ExportError if the model raises."""
    try:
        return model(*args, **kwargs)
    except Exception as error:
        path = find_module(error, model)
        raise ExportError(f"the model raised an error: {describe(error)}", path) from error


def runs(model: torch.nn.Module, values: Values) -> bool:
    """Return whether the model runs on copies of the inputs."""
    args, kwargs = copy.deepcopy(values)
    try:
        model(*args, **kwargs)
    except Exception:  # whatever the user's C# or Python throws at inputs that it does not take
        return False
    return True


def _run(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], seed: int) -> tuple[Trace, Any]:
    own_args, own_kwargs = copy.deepcopy((args, kwargs))
    torch.manual_seed(seed)
    with record(model, values="digest") as recording:
        result = call(model, own_args, own_kwargs)
    for before, after in zip(find_tensors((args, kwargs)), find_tensors((own_args, own_kwargs)), strict=True):
        if not _same(before, after):
            path = _changer(model, args, kwargs)
            raise ExportError(
                f"a call of {name_module(path)} changes an input in place, which a file does not: change a copy, x.clone().",
                path,
            )
    return recording.trace, result


def _changer(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the path of the innermost module in whose call an input of the model changes."""
    own_args, own_kwargs = copy.deepcopy((args, kwargs))
    given = find_tensors((own_args, own_kwargs))
    running: list[tuple[str, list[int], list[bool]]] = []
    found: list[str] = []

    def versions() -> list[int]:
        return [tensor._version for tensor in given]

    def enter(path: str) -> Callable[..., None]:
        return lambda *_: running.append((path, versions(), []))

    def leave(*_: Any) -> None:
        path, before, inner = running.pop()
        if versions() != before:
            if not inner and not found:
                found.append(path)
            if running:
                running[-1][2].append(True)

    handles = []
    for path, module in model.named_modules():
        handles += [module.register_forward_pre_hook(enter(path)), module.register_forward_hook(leave)]
    try:
        call(model, own_args, own_kwargs)
    finally:
        for handle in handles:
            handle.remove()
    return found[0] if found else ""


def find_difference(a: Trace, b: Trace) -> str | None:
    """Return the path of the innermost module at the first difference of two traces of the same model; None if there is none."""
    paths: dict[int, str] = {}
    for one, other in zip(a, b, strict=False):
        if one.phase == "pre":
            paths[one.call] = one.path
        if (one.path, one.phase, one.values) != (other.path, other.phase, other.values):
            # Other arguments or another call come from the code of the module that makes the call.
            return paths.get(one.parent, "") if one.phase == "pre" or one.path != other.path else one.path
    return None if len(a) == len(b) else ""


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return torch.equal(a, b) or bool(torch.isclose(a, b, rtol=0, atol=0, equal_nan=True).all())


def list_hooks(model: torch.nn.Module) -> Iterator[str]:
    """Yield a note for each module with hooks, which become part of the file or are left out of it."""
    for path, module in model.named_modules():
        forward = len(module._forward_pre_hooks) + len(module._forward_hooks)
        backward = len(module._backward_pre_hooks) + len(module._backward_hooks)
        if forward:
            yield f"{name_module(path)}: {_count(forward, 'forward hook')} ran; the tensor operations in it are part of the file."
        if backward:
            yield f"{name_module(path)}: {_count(backward, 'backward hook')} left out: a file has no gradients."
    anywhere = len(torch_module._global_forward_hooks) + len(torch_module._global_forward_pre_hooks)
    if anywhere:
        yield f"{_count(anywhere, 'global forward hook')} ran; the tensor operations in it are part of the file."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
