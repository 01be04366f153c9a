"""The check whether a model can be ported at all: its classes must define everything that it computes."""

from __future__ import annotations

import types
from typing import Any, Final

import torch
from torch.nn.parameter import is_lazy
from torch.nn.utils import parametrize

from bridge.compare.io.inputs import calls_itself
from bridge.port.errors import Unwritable
from bridge.port.observe.models.computed_weights import hook_of
from bridge.port.observe.modules import arguments, chosen_forward, is_layer
from bridge.port.observe.sources import is_foreign

#: The functions of PyTorch that remove a parametrization of a weight, which TorchSharp lacks.
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
    """Raise Unwritable for weights that are computed or have no shapes, hooks, a forward of an instance, and compiled code."""
    for path, module in model.named_modules():
        where, name = f"'{path}'" if path else "the model", type(module).__name__
        if any(map(is_lazy, (*module._parameters.values(), *module._buffers.values()))):
            raise Unwritable(
                f"{where} is a {name} whose weights get their shapes in the first call: port a function that makes the model, "
                "calls it, and returns it."
            )
        if (by := _reparametrized(module)) is not None:
            raise Unwritable(
                f"{path or where} has a weight that {by} computes: port the model after {_REMOVED[by]}, which keeps its value."
            )
        computed = hook_of(module)
        if computed is None and (added := _added(module)):
            raise Unwritable(
                f"{where} is a {name} with the parameter {added}, which PyTorch's {name} has not, and TorchSharp's neither."
            )
        if isinstance(module, torch.jit.ScriptModule) or hasattr(module, "_orig_mod"):
            raise Unwritable(
                f"{path or where} is of class {name}: give the model as it was before it was scripted or compiled."
            )
        if not isinstance(type(module).forward, types.FunctionType):
            raise Unwritable(
                f"{path or where} is of class {name}: the source of {name}.forward cannot be read, for it is compiled."
            )
        called: Any = type(module).__call__
        if called is not torch.nn.Module.__call__ and not calls_itself(type(module)) and not is_foreign(called):
            raise Unwritable(f"{path or where} is of class {name}, which has a __call__ of its own besides forward.")
        if "forward" in vars(module) and not _is_chosen(model, module):
            raise Unwritable(
                f"{where} has a forward that is set on the instance, {_name(vars(module)['forward'])}: define it in a class."
            )
        for attribute, kind in _HOOKS.items():
            for hook in getattr(module, attribute).values():
                if hook is computed:
                    continue
                raise Unwritable(
                    f"{where} has the {kind} {_name(hook)}, which the C# would not run: remove it, or do its work in forward."
                )


def _is_chosen(model: torch.nn.Module, module: torch.nn.Module) -> bool:
    """Return whether a module, and all others of its class, have one method of the class as their forward."""
    chosen = {chosen_forward(one) for one in model.modules() if type(one) is type(module)}
    return len(chosen) == 1 and None not in chosen


def _added(module: torch.nn.Module) -> str:
    """Return the name of a parameter that the model's code has registered with a layer of PyTorch's; empty if there is none."""
    names = set(module._parameters.keys()) - {"weight", "bias"}  # a list for a scripted module
    if not names or not is_layer(module):
        return ""
    with torch.device("meta"):
        made = type(module)(**arguments(module))
    return min(names - made._parameters.keys(), default="")


def _reparametrized(module: torch.nn.Module) -> str | None:
    """Return the name of an unsupported hook or parametrization that computes a parameter before each call; None if there is none."""
    if parametrize.is_parametrized(module):
        return "parametrize"
    if hook_of(module) is not None:
        return None
    names = (type(one).__name__ for one in module._forward_pre_hooks.values())
    return next((name for name in names if name in _REMOVED), None)


def _name(function: object) -> str:
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)
