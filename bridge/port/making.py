"""What the constructors of a model's classes were given while it was made."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import torch
from torch.nn.utils import parametrize

from bridge.port.port_errors import Unwritable

#: A module's constructor arguments, by the module.
Given = dict[torch.nn.Module, dict[str, Any]]


def made(factory: Callable[[], torch.nn.Module]) -> tuple[torch.nn.Module, Given]:
    """Makes a model, and notes for each module the arguments of its class's own ``__init__``, by name.

    Raises Unwritable where a part of it has no Python source because it was compiled.
    """
    found: list[tuple[torch.nn.Module, dict[str, Any]]] = []

    def enter(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_name != "__init__" or not frame.f_code.co_argcount:
            return
        module = frame.f_locals.get(frame.f_code.co_varnames[0])
        if isinstance(module, torch.nn.Module) and _init(type(module)) is frame.f_code:
            names = frame.f_code.co_varnames[1 : frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
            found.append((module, {name: frame.f_locals[name] for name in names if name in frame.f_locals}))

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        model = factory()
    finally:
        sys.setprofile(before)
    _check_sources(model)
    return model, dict(found)


#: What takes off a way to compute a weight, which TorchSharp has not.
_REMOVED: Final = {
    "parametrize": "torch.nn.utils.parametrize.remove_parametrizations",
    "SpectralNorm": "torch.nn.utils.remove_spectral_norm",
    "WeightNorm": "torch.nn.utils.remove_weight_norm",
}


def _reparametrized(module: torch.nn.Module) -> str | None:
    """What computes a parameter of the module before each call; None where nothing does."""
    if parametrize.is_parametrized(module):
        return "parametrize"
    names = (type(one).__name__ for one in module._forward_pre_hooks.values())
    return next((name for name in names if name in _REMOVED), None)


def _check_sources(model: torch.nn.Module) -> None:
    for path, module in model.named_modules():
        where, name = path or "the model", type(module).__name__
        if (by := _reparametrized(module)) is not None:
            raise Unwritable(
                f"{where} has a weight that {by} computes: port the model after {_REMOVED[by]}, which keeps its value."
            )
        if isinstance(module, torch.jit.ScriptModule) or hasattr(module, "_orig_mod"):
            raise Unwritable(
                f"{where} is of class {name}: give the model as it was before it was scripted or compiled."
            )
        if not isinstance(type(module).forward, types.FunctionType):
            raise Unwritable(
                f"{where} is of class {name}: the source of {name}.forward cannot be read, for it is compiled."
            )


def _init(kind: type) -> Any:
    return getattr(vars(kind).get("__init__", getattr(kind, "__init__", None)), "__code__", None)


def defaults(kind: type) -> dict[str, Any]:
    """The defaults of a class's constructor."""
    return {
        one.name: one.default for one in inspect.signature(kind).parameters.values() if one.default is not one.empty
    }
