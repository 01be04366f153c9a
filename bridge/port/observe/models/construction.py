"""The construction of a model, and the arguments of its modules' constructors."""

from __future__ import annotations

import copy
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import torch

from bridge.port.observe.models.admission import check_model
from bridge.port.observe.models.constructors import describe_module, observe_constructors
from bridge.port.observe.modules import is_layer, is_own
from bridge.port.observe.observations import Method


class Given(dict[torch.nn.Module, dict[str, Any]]):
    """The constructor arguments of each module.

    ``constructors`` are the constructors with their observations. ``changed`` are the modules that changed after their constructors had
    run: each with the names of the attributes that were added, or with None for any other change. ``drawn`` are the tensors, by
    class and name, that no ``state_dict`` has and that differ between two constructions. ``surplus`` are the modules that were given
    arguments for ``*args`` or ``**kwargs``; those arguments are not listed.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.constructors: dict[types.FunctionType, Method] = {}
        self.changed: dict[torch.nn.Module, frozenset[str] | None] = {}
        self.drawn: set[tuple[type, str]] = set()
        self.surplus: set[torch.nn.Module] = set()


def construct(
    factory: Callable[[], torch.nn.Module],
    substitutes: Callable[[torch.nn.Module], Mapping[type[torch.nn.Module], types.FunctionType]] = lambda _: {},
) -> tuple[torch.nn.Module, Given]:
    """Construct a model, and return it with the arguments of the ``__init__`` of each module's class, by name.

    The model is constructed a second time to observe the constructors; ``substitutes`` returns, for the model, constructors that then
    replace PyTorch's. Raises Unwritable if the model's classes do not define all that it computes
    (:func:`bridge.port.observe.models.admission.check_model`).
    """
    found: list[tuple[torch.nn.Module, dict[str, Any]]] = []
    left: dict[torch.nn.Module, tuple[list[Any], frozenset[str]]] = {}
    surplus: set[torch.nn.Module] = set()

    def note_copy(module: Any, made: torch.nn.Module) -> None:
        known = next((one for other, one in found if other is module), None)
        state = describe_module(module, attributes=True) if known is not None else []
        if known is None or made in left or module in surplus or module not in left or left[module][0] != state:
            return
        if not any(isinstance(one, torch.nn.Module) for one in known.values()):
            found.append((made, known))
            left[made] = describe_module(made, attributes=True), frozenset(vars(made))

    def enter(frame: FrameType, event: str, result: Any) -> None:
        if frame.f_code is copy.deepcopy.__code__ and event == "return" and isinstance(result, torch.nn.Module):
            note_copy(frame.f_locals.get("x"), result)
        if frame.f_code.co_name != "__init__" or not frame.f_code.co_argcount or event not in ("call", "return"):
            return
        module = frame.f_locals.get(frame.f_code.co_varnames[0])
        if not isinstance(module, torch.nn.Module) or _init(type(module)) is not frame.f_code:
            return
        if isinstance(module, torch.jit.ScriptModule):  # refused later; it has no attributes until its constructor ends
            return
        if event == "call":
            count = frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount
            names = frame.f_code.co_varnames[1:count]
            flags = frame.f_code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
            if any(frame.f_locals.get(name) for name in frame.f_code.co_varnames[count : count + flags.bit_count()]):
                surplus.add(module)
            found.append((module, {name: _kept(frame.f_locals[name]) for name in names if name in frame.f_locals}))
        elif (is_own(type(module)) or is_layer(module)) and "_modules" in vars(module):  # else its constructor raised
            left[module] = describe_module(module, attributes=True), frozenset(vars(module))

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        model = factory()
    finally:
        sys.setprofile(before)
    check_model(model)
    given = Given(found)
    given.surplus = surplus
    standing = substitutes(model)
    given.changed = _changed({one: state for one, state in left.items() if is_own(type(one)) or type(one) in standing})
    given.constructors, given.drawn = observe_constructors(factory, model, standing)
    return model, given


def _changed(
    left: Mapping[torch.nn.Module, tuple[list[Any], frozenset[str]]],
) -> dict[torch.nn.Module, frozenset[str] | None]:
    """Return the modules that changed after their constructors: with the attributes that were added, or None for any other change."""
    found: dict[torch.nn.Module, frozenset[str] | None] = {}
    for module, (state, names) in left.items():
        if describe_module(module, attributes=True) != state:
            added = frozenset(vars(module)) - names
            found[module] = added if added and describe_module(module, added, attributes=True) == state else None
    return found


def _init(kind: type) -> Any:
    return getattr(vars(kind).get("__init__", getattr(kind, "__init__", None)), "__code__", None)


def _kept(value: Any) -> Any:
    """Return an argument; if it is a list or dictionary, which the constructor may change, return a copy."""
    return copy.copy(value) if type(value) in (list, dict) else value


def defaults(kind: type) -> dict[str, Any]:
    """Return the defaults of a class's constructor."""
    return {
        one.name: one.default for one in inspect.signature(kind).parameters.values() if one.default is not one.empty
    }
