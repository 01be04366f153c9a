"""Settings that are proven to cause a difference.

When the C# model gets PyTorch's values of these settings, the difference disappears and no other difference appears.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

import torch

from bridge.compare.isolate.causes.settings import copied_setting, smallest_subset
from bridge.compare.models.settings import Setting, settings_at
from bridge.compare.result import Comparison

#: The names of the settings that are never tried: the C# module keeps its class, its train or eval mode, and its children.
_FIXED: Final = frozenset({"class", "training", "children"})


def find_causes(
    compared: Comparison, python: torch.nn.Module, dotnet: torch.nn.Module, again: Callable[[], Comparison]
) -> tuple[Setting, ...]:
    """Return the settings that cause the difference of the first differing module.

    With PyTorch's values of these settings, the module no longer differs, and no other module begins to differ (the latter is not checked
    if the first run raised).
    The result is one setting that suffices alone, else a set from which superfluous settings were removed one by one, else an
    empty tuple.
    ``again`` runs ``dotnet`` again and compares. Nothing is tried if a setting of the module is already proven to be a cause.
    """
    path = compared.first_path
    proven = any(finding.kind == "setting" and finding.path == path for finding in compared.found)
    candidates = [setting for setting in settings_at(compared.modules.settings, path) if setting.name not in _FIXED]
    if proven or not compared.differs or not candidates:
        return ()

    def proves(some: Sequence[Setting]) -> bool:
        with ExitStack() as stack:
            if not all(stack.enter_context(_as_in_pytorch(python, dotnet, setting)) for setting in some):
                return False
            after = again()
        # If the first run raised, later differences may not be new, since nothing was compared after the exception.
        added = not compared.raised and bool(_differing(after) - _differing(compared))
        return path not in _differing(after) and not added and (not after.raised or bool(compared.raised))

    return smallest_subset(candidates, proves)


def _differing(compared: Comparison) -> frozenset[str]:
    """Return the paths of the modules at which something differs."""
    differences = (*compared.diff.structural, *compared.diff.numeric)
    tensors = (*compared.tensors.buffers, *compared.tensors.gradients)
    raised = [compared.raised_in] if compared.raised else []
    return frozenset((*(found.path for found in differences), *(found.path for found in tensors), *raised))


@contextmanager
def _as_in_pytorch(python: torch.nn.Module, dotnet: torch.nn.Module, setting: Setting) -> Iterator[bool]:
    """Give the C# module PyTorch's value of a setting in the block; yield whether that is possible."""
    name, original, module = setting.name, python.get_submodule(setting.path), dotnet.get_submodule(setting.path)
    if name == "shared":
        with _shared_as_in_pytorch(python, dotnet, setting.path):
            yield True
    elif name in original._parameters and name in module._parameters:
        wanted, parameter = original._parameters[name], module._parameters[name]
        if wanted is None or parameter is None or wanted.dtype != parameter.dtype:
            yield False
            return
        before = parameter.requires_grad
        parameter.requires_grad_(wanted.requires_grad)
        try:
            yield True
        finally:
            parameter.requires_grad_(before)
    elif name in original._buffers or name in module._buffers:
        yield False
    else:
        with copied_setting(module, original, name) as done:
            yield done


@contextmanager
def _shared_as_in_pytorch(python: torch.nn.Module, dotnet: torch.nn.Module, path: str) -> Iterator[None]:
    """Tie or untie parameters of the C# module for the block, so that they are tied as in PyTorch."""
    ours, theirs = (dict(model.named_parameters(remove_duplicate=False)) for model in (python, dotnet))
    module = dotnet.get_submodule(path)
    before = {name: value for name, value in module._parameters.items() if value is not None}
    for name, value in before.items():
        key = f"{path}.{name}" if path else name
        if key not in ours:
            continue
        tied_python = next(other for other in ours if ours[other] is ours[key])
        tied_dotnet = next(other for other in theirs if theirs[other] is value)
        if tied_python != key and tied_python in theirs and theirs[tied_python] is not value:
            setattr(module, name, theirs[tied_python])
        elif tied_python == key and tied_dotnet != key and tied_dotnet in ours:
            setattr(module, name, torch.nn.Parameter(value.detach().clone(), value.requires_grad))
    try:
        yield
    finally:
        for name, value in before.items():
            if module._parameters[name] is not value:
                setattr(module, name, value)
