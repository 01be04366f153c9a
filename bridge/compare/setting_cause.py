"""Whether a setting is the cause: C#'s model runs once more with PyTorch's value of it, and then nothing differs at that module, nor
anywhere where nothing did before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

import torch

from bridge.compare.isolate.causes.settings import copied_setting, smallest_subset
from bridge.compare.models.settings import Setting, those_at
from bridge.compare.result import Comparison

#: What no value undoes.
_FIXED: Final = frozenset({"class", "mode", "children"})


def causes(
    found: Comparison, python: torch.nn.Module, dotnet: torch.nn.Module, again: Callable[[], Comparison]
) -> tuple[Setting, ...]:
    """The settings of the module at which a difference begins that make it: without them nothing differs there, with fewer it does.

    ``again`` compares with another run of ``dotnet``. Nothing is tried where a run of that module by itself has proven one.
    """
    path = found.begins
    told = any(one.kind == "setting" and one.path == path for one in found.found)
    known = [one for one in those_at(found.settings, path) if one.name not in _FIXED]
    if told or not found.differs or not known:
        return ()

    def proves(some: Sequence[Setting]) -> bool:
        with ExitStack() as stack:
            if not all(stack.enter_context(_alike(python, dotnet, one)) for one in some):
                return False
            after = again()
        # Where a run ended early, what comes later was not compared.
        elsewhere = not found.raised and bool(_places(after) - _places(found))
        return path not in _places(after) and not elsewhere and (not after.raised or bool(found.raised))

    return smallest_subset(known, proves)


def _places(compared: Comparison) -> frozenset[str]:
    """The modules at which something differs."""
    found = [one.path for one in (*compared.diff.structural, *compared.diff.numeric)]
    found += [one.name.rpartition(".")[0] for one in (*compared.buffers, *compared.gradients)]
    return frozenset((*found, *([compared.raised_in] if compared.raised else [])))


@contextmanager
def _alike(python: torch.nn.Module, dotnet: torch.nn.Module, setting: Setting) -> Iterator[bool]:
    """Meanwhile C#'s module has that one of PyTorch's settings; False where it cannot have it."""
    here, there = python.get_submodule(setting.path), dotnet.get_submodule(setting.path)
    if setting.name == "shared":
        with _shared_alike(python, dotnet, setting.path):
            yield True
    elif setting.name in here._parameters and setting.name in there._parameters:
        one, other = here._parameters[setting.name], there._parameters[setting.name]
        if one is None or other is None or one.dtype != other.dtype:
            yield False
            return
        before = other.requires_grad
        other.requires_grad_(one.requires_grad)
        try:
            yield True
        finally:
            other.requires_grad_(before)
    elif setting.name in here._buffers or setting.name in there._buffers:
        yield False
    else:
        with copied_setting(there, here, setting.name) as done:
            yield done


@contextmanager
def _shared_alike(python: torch.nn.Module, dotnet: torch.nn.Module, path: str) -> Iterator[None]:
    """Meanwhile the parameters of C#'s module are one tensor with another, or are none with any, as PyTorch's are."""
    ours, theirs = (dict(model.named_parameters(remove_duplicate=False)) for model in (python, dotnet))
    module = dotnet.get_submodule(path)
    before = {name: value for name, value in module._parameters.items() if value is not None}
    for name, value in before.items():
        key = f"{path}.{name}" if path else name
        if key not in ours:
            continue
        first = next(other for other in ours if ours[other] is ours[key])
        alone = next(other for other in theirs if theirs[other] is value)
        if first != key and first in theirs and theirs[first] is not value:
            setattr(module, name, theirs[first])
        elif first == key and alone != key and alone in ours:
            setattr(module, name, torch.nn.Parameter(value.detach().clone(), value.requires_grad))
    try:
        yield
    finally:
        for name, value in before.items():
            if module._parameters[name] is not value:
                setattr(module, name, value)
