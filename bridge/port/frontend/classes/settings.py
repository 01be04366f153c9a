"""Settings objects (``self.config``): Python objects that hold numbers and strings, that no method changes, and that C# does not have."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import torch
from torch import nn

from bridge.port.frontend.calls.callees import NOTHING
from bridge.port.frontend.context import Context
from bridge.port.frontend.values import literal, none
from bridge.port.ir.nodes import Expression, Literal, Origin
from bridge.port.ir.types import ConstantOf, Type
from bridge.port.observe.observations import Method

_OTHERS: Final = (nn.Module, torch.Tensor, type, types.ModuleType, bool, int, float, str, bytes, tuple, list, dict, set)

#: Methods of dictionaries that change these.
_CHANGING: Final = ("update", "setdefault", "pop", "popitem", "clear")


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
    return setting(known.value, names, context.origin(node))


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


def lower_item(context: Context, node: ast.Subscript) -> Expression | None:
    """Lower ``config.rope_parameters["rope_theta"]`` in a constructor, an item of a dictionary in settings; None for another item."""
    if (found := _table(context, node.value)) is None:
        return None
    table, owner = found
    key = context.expression(node.slice)
    return _item(context, node, table, owner, key) if isinstance(key, Literal) and key.value in table else None


def lower_get(context: Context, node: ast.Call) -> Expression | None:
    """Lower ``config.rope_parameters.get("factor", 1.0)`` in a constructor; None for another call."""
    plain = isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args and not node.keywords
    if not plain or not isinstance(node.func, ast.Attribute) or (found := _table(context, node.func.value)) is None:
        return None
    table, owner = found
    key, *default = map(context.expression, node.args)
    if not isinstance(key, Literal):
        return None
    if key.value not in table:
        return default[0] if default else none(context.origin(node))
    return _item(context, node, table, owner, key) if all(isinstance(one, Literal) for one in default) else None


def _table(context: Context, node: ast.expr) -> tuple[dict[str, Any], str] | None:
    """Return a dictionary in a settings object, which no method changes, and the name of its owner's class; None for another value."""
    names, root = list[str](), node
    while isinstance(root, ast.Attribute):
        names.insert(0, root.attr)
        root = root.value
    if not names or not isinstance(root, ast.Name) or not context.surroundings.constructs:
        return None
    known = context.scope.type_of(root.id)
    if root.id == context.receiver and len(names) > 1:
        known, names = context.expression(_attribute(root, names[0])).type, names[1:]
    if not isinstance(known, ConstantOf) or assigned(names, context.surroundings.methods.values()):
        return None
    table = read(known.value, names)
    return (table, type(read(known.value, names[:-1])).__name__) if isinstance(table, dict) else None


def _item(context: Context, node: ast.expr, table: dict[str, Any], owner: str, key: Literal) -> Expression | None:
    name = f"{owner}.{key.value}" if isinstance(key.value, str) and key.value.isidentifier() else ""
    return constant(table[key.value], context.origin(node), name)


def _attribute(owner: ast.Name, name: str) -> ast.Attribute:
    return ast.copy_location(ast.Attribute(owner, name, ast.Load()), owner)


def setting(root: Any, names: Sequence[str], origin: Origin) -> Expression | None:
    """Return the value at a path of attributes below a settings object, named like a constant of its owner: ``BertConfig.hidden_size``."""
    *owners, name = names
    return constant(read(root, names), origin, f"{type(read(root, owners)).__name__}.{name}")


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
    return any(not stored_by(one).isdisjoint(names) for one in methods)


def stored_by(method: Method) -> frozenset[str]:
    """Return the attributes, of any object, that a method assigns, or whose items it changes."""
    return _stored(method.tree)


@lru_cache(maxsize=1024)
def _stored(tree: ast.FunctionDef) -> frozenset[str]:
    every = [one for one in ast.walk(tree) if isinstance(one, (ast.Attribute, ast.Subscript))]
    stored = [one for one in every if not isinstance(one.ctx, ast.Load)]
    stored += [one for one in every if isinstance(one, ast.Attribute) and one.attr in _CHANGING]
    inner = [one if isinstance(one, ast.Attribute) and one.attr not in _CHANGING else one.value for one in stored]
    return frozenset(one.attr for one in inner if isinstance(one, ast.Attribute))


def distinct(modules: Iterable[nn.Module], name: str) -> list[Any]:
    """Return the distinct values of an attribute of modules: numbers, strings and tuples are compared by value, others by identity."""
    values: list[Any] = []
    for one in modules:
        value = getattr(one, name, None)
        plain = isinstance(value, (bool, int, float, str, tuple))
        if not any(value is known or (plain and type(value) is type(known) and value == known) for known in values):
            values.append(value)
    return values
