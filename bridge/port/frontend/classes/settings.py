"""Settings objects (``self.config``): Python objects that hold numbers and strings, that no method changes, and that C# does not have."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

import torch
from torch import nn

from bridge.port.frontend.calls.callees import NOTHING
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import literal
from bridge.port.ir.nodes import Expression, Literal, Origin
from bridge.port.ir.types import ConstantOf, Type
from bridge.port.observe.observations import Method

_OTHERS: Final = (nn.Module, torch.Tensor, type, types.ModuleType, bool, int, float, str, bytes, tuple, list, dict, set)


def lower(context: Context, node: ast.Attribute) -> Expression | None:
    """Lower ``self.config.hidden_size`` or ``config.hidden_size``; None for an attribute of another value."""
    names, root = [node.attr], node.value
    while isinstance(root, ast.Attribute):
        names.insert(0, root.attr)
        root = root.value
    if not isinstance(root, ast.Name):
        return None
    if root.id == context.receiver != "":
        return context.surroundings.setting(tuple(names), context.origin(node)) if len(names) > 1 else None
    known = context.scope.type_of(root.id)
    if not isinstance(known, ConstantOf) or not is_settings(known.value):
        return None
    if assigned(names, context.surroundings.methods.values()):
        context.fail(node, f"'{ast.unparse(node)}', which a method assigns")
    return constant(read(known.value, names), context.origin(node), ".".join((root.id, *names)))


def lower_call(context: Context, node: ast.Call, owner: Type) -> Expression | None:
    """Lower ``config.get_text_config()``: the only settings object that a method of settings gives for literals; None for another call."""
    if not isinstance(owner, ConstantOf) or not is_settings(owner.value):
        return None
    values, given = context.observation(node).values, [*node.args, *(one.value for one in node.keywords)]
    if len(values) != 1 or not is_settings(values[0]):
        return None
    if not all(isinstance(context.expression(one), Literal) for one in given):
        return None
    return constant(values[0], context.origin(node))


def constant(value: Any, origin: Origin, name: str = "") -> Expression | None:
    """Return the value of a setting: a literal, or a settings object itself; None for another value."""
    if is_settings(value):
        return Literal(value, type=ConstantOf(value), origin=origin)
    return None if value is NOTHING else literal(value, origin, name)


def read(value: Any, names: Iterable[str]) -> Any:
    """Return the value at a path of attributes below ``value``; NOTHING if an attribute is missing or its owner is no settings object."""
    for name in names:
        value = getattr(value, name, NOTHING) if is_settings(value) else NOTHING
    return value


def is_settings(value: Any) -> bool:
    """Return whether a value has attributes, is not callable, holds no tensor or module itself, and has no type in the IR."""
    if value is None or isinstance(value, _OTHERS) or callable(value) or not hasattr(value, "__dict__"):
        return False
    of_torch = type(value).__module__.partition(".")[0] == "torch"
    return not of_torch and not any(isinstance(one, (torch.Tensor, nn.Module)) for one in vars(value).values())


def assigned(names: Iterable[str], methods: Iterable[Method]) -> bool:
    """Return whether a method of the model's source assigns an attribute with one of these names, on any object."""
    return any(not _stored(one.tree).isdisjoint(names) for one in methods)


@lru_cache(maxsize=1024)
def _stored(tree: ast.FunctionDef) -> frozenset[str]:
    return frozenset(
        one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)
    )


def distinct(modules: Iterable[nn.Module], name: str) -> list[Any]:
    """Return the distinct values of an attribute of modules: numbers, strings and tuples are compared by value, others by identity."""
    values: list[Any] = []
    for one in modules:
        value = getattr(one, name, None)
        plain = isinstance(value, (bool, int, float, str, tuple))
        if not any(value is known or (plain and type(value) is type(known) and value == known) for known in values):
            values.append(value)
    return values
