"""Expressions that read the children of a class, within its own methods, if the class takes any number of children."""

from __future__ import annotations

import ast
from typing import Final

from torch import nn

from bridge.port.frontend.calls.callees import is_torch, method_of
from bridge.port.frontend.context import Context
from bridge.port.ir.nodes import (
    BuiltinCall,
    Compare,
    Comprehension,
    Expression,
    Generator,
    Item,
    Local,
    LocalTarget,
    TupleItem,
)
from bridge.port.ir.types import BOOL, INT, STR, IteratorOf, ListOf, TupleOf

#: The expressions that give children of a module, each with the part of an entry that it gives: 0 the name, 1 the child, -1 both.
_PARTS: Final = {
    "children()": 1,
    "named_children()": -1,
    "values()": 1,
    "items()": -1,
    "keys()": 0,
    "_modules": 0,
    "_modules.values()": 1,
    "_modules.items()": -1,
    "_modules.keys()": 0,
}


def walked(context: Context, node: ast.expr) -> tuple[Expression, int] | None:
    """Return the entries of the module itself, and the part of each that an expression walks over; None for another expression."""
    entries = context.surroundings.entries(context.origin(node)) if context.receiver else None
    kind = context.surroundings.kind
    if entries is None or kind is None:
        return None
    text = ast.unparse(node)
    if text == context.receiver:
        own = method_of(kind, "__iter__")
        part = 0 if issubclass(kind, nn.ModuleDict) else 1
    else:
        name = text.removeprefix(f"{context.receiver}.")
        part = _PARTS.get(name, 2) if name != text else 2
        own = method_of(kind, name.removesuffix("()"))
    if part == 2 or not ("_modules" in text or is_torch(own)):
        return None
    return entries, part


def lower(context: Context, node: ast.expr) -> Expression | None:
    """Return the expression for the children, their names, both, or their number; None if ``node`` is another expression."""
    origin = context.origin(node)
    entries = context.surroundings.entries(origin) if context.receiver else None
    if entries is not None and ast.unparse(node) == f"len({context.receiver})":
        return BuiltinCall("len", (entries,), type=INT, origin=origin)
    found = walked(context, node)
    if found is None:
        return None
    entries, part = found
    return entries if part < 0 else _parts(entries, part)


def item(context: Context, node: ast.Subscript) -> Expression | None:
    """Return the child at an index, or with a name: ``self[0]``, ``self["key"]``; None for another expression."""
    found = walked(context, node.value)
    if found is None or ast.unparse(node.value) != context.receiver or isinstance(node.slice, ast.Slice):
        return None
    (entries, part), index, origin = found, context.expression(node.slice), context.origin(node)
    pair = _pair(entries)
    if part == 1:
        return TupleItem(Item(entries, index, type=pair, origin=origin), 1, type=pair.items[1], origin=origin)
    name = TupleItem(Local("entry", type=pair), 0, type=STR, origin=origin)
    named = _parts(entries, 1, Compare("==", name, index, type=BOOL, origin=origin))
    return BuiltinCall("next", (named,), type=pair.items[1], origin=origin)


def _parts(entries: Expression, part: int, *conditions: Expression) -> Comprehension:
    pair, origin = _pair(entries), entries.origin
    element = TupleItem(Local("entry", type=pair), part, type=pair.items[part], origin=origin)
    generator = Generator(LocalTarget("entry", pair), entries, conditions, origin=origin)
    return Comprehension(element, (generator,), type=IteratorOf(element.type), origin=origin)


def _pair(entries: Expression) -> TupleOf:
    """Return the type of an entry: a name and a child."""
    assert isinstance(entries.type, ListOf)
    assert isinstance(entries.type.element, TupleOf)
    return entries.type.element
