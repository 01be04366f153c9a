"""The construction of a model, and the arguments of its modules' constructors."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from bridge.port.observe.admission import check_model

#: A module's constructor arguments, by the module.
Given = dict[torch.nn.Module, dict[str, Any]]


def construct(factory: Callable[[], torch.nn.Module]) -> tuple[torch.nn.Module, Given]:
    """Construct a model, and return it with the arguments of the ``__init__`` of each module's class, by name.

    Raises Unwritable where its classes do not describe it (:func:`bridge.port.observe.admission.check_model`).
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
    check_model(model)
    return model, dict(found)


def _init(kind: type) -> Any:
    return getattr(vars(kind).get("__init__", getattr(kind, "__init__", None)), "__code__", None)


def defaults(kind: type) -> dict[str, Any]:
    """Return the defaults of a class's constructor."""
    return {
        one.name: one.default for one in inspect.signature(kind).parameters.values() if one.default is not one.empty
    }
