"""Which models can be ported at all: those whose classes say what they compute."""

from __future__ import annotations

import types
from typing import Final

import torch
from torch.nn.utils import parametrize

from bridge.port.errors import Unwritable

#: What removes a way to compute a weight, which TorchSharp lacks.
_REMOVED: Final = {
    "parametrize": "torch.nn.utils.parametrize.remove_parametrizations",
    "SpectralNorm": "torch.nn.utils.remove_spectral_norm",
    "WeightNorm": "torch.nn.utils.remove_weight_norm",
}
_HOOKS: Final = {
    "_forward_pre_hooks": "forward pre hook",
    "_forward_hooks": "forward hook",
    "_backward_pre_hooks": "backward pre hook",
    "_backward_hooks": "backward hook",
}


def check_model(model: torch.nn.Module) -> None:
    """Raise Unwritable for computed weights, for hooks, for a forward of an instance, and for code without a Python source."""
    for path, module in model.named_modules():
        where, name = f"'{path}'" if path else "the model", type(module).__name__
        if (by := _reparametrized(module)) is not None:
            raise Unwritable(
                f"{path or where} has a weight that {by} computes: port the model after {_REMOVED[by]}, which keeps its value."
            )
        if isinstance(module, torch.jit.ScriptModule) or hasattr(module, "_orig_mod"):
            raise Unwritable(
                f"{path or where} is of class {name}: give the model as it was before it was scripted or compiled."
            )
        if not isinstance(type(module).forward, types.FunctionType):
            raise Unwritable(
                f"{path or where} is of class {name}: the source of {name}.forward cannot be read, for it is compiled."
            )
        if "forward" in vars(module):
            raise Unwritable(
                f"{where} has a forward that is set on the instance, {_name(vars(module)['forward'])}: define it in a class."
            )
        for attribute, kind in _HOOKS.items():
            for hook in getattr(module, attribute).values():
                raise Unwritable(
                    f"{where} has the {kind} {_name(hook)}, which the C# would not run: remove it, or do its work in forward."
                )


def _reparametrized(module: torch.nn.Module) -> str | None:
    """Return the name of what computes a parameter of the module before each call; None where nothing does."""
    if parametrize.is_parametrized(module):
        return "parametrize"
    names = (type(one).__name__ for one in module._forward_pre_hooks.values())
    return next((name for name in names if name in _REMOVED), None)


def _name(function: object) -> str:
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)
