"""Targets of assignments, loops and comprehensions."""

from __future__ import annotations

import ast
from typing import Final

from bridge.port.frontend.context import Context
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Field, Item, PlaceTarget, Property, Slice, Target, TensorIndex, TupleTarget
from bridge.port.ir.types import (
    INT,
    SIZES,
    STR,
    TENSOR,
    DictOf,
    IteratorOf,
    ListOf,
    ModulesOf,
    SetOf,
    TupleOf,
    Type,
    join,
)


def target(context: Context, node: ast.expr, found: Type) -> Target:
    """Lower a target to which a value of a type is assigned from here on."""
    if isinstance(node, ast.Name):
        return context.assign(node.id, found, context.origin(node))
    if isinstance(node, ast.Starred):
        return target(context, node.value, found)
    if isinstance(node, (ast.Tuple, ast.List)):
        return _tuple(context, node, found)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == context.receiver != "":
        return _field(context, node, found)
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        place = context.expression(node)
        if isinstance(place, Property) and place.value.type == TENSOR:
            return PlaceTarget(place, origin=context.origin(node))
        if not isinstance(place, (Item, Slice, TensorIndex)):
            context.fail(node, f"an assignment to '{ast.unparse(node)}', which is of another object")
        return PlaceTarget(place, origin=context.origin(node))
    raise Untranslatable(context.origin(node), f"an assignment to '{ast.unparse(node)}'")


def _field(context: Context, node: ast.Attribute, found: Type) -> PlaceTarget:
    origin = context.origin(node)
    context.surroundings.store(node.attr, found, origin)
    place = context.surroundings.field(node.attr, origin)
    if not isinstance(place, Field):
        context.fail(node, f"self.{node.attr} is a setting, and is assigned")
    context.scope.disprove(f"self.{node.attr}")
    return PlaceTarget(place, origin=origin)


def _tuple(context: Context, node: ast.Tuple | ast.List, found: Type) -> Target:
    stars = [place for place, one in enumerate(node.elts) if isinstance(one, ast.Starred)]
    star = stars[0] if stars else -1
    items = types_of_items(found, len(node.elts), star)
    if items is None:
        context.fail(node, f"'{ast.unparse(node)}' of a {found}")
    made = tuple(target(context, one, kind) for one, kind in zip(node.elts, items, strict=True))
    return TupleTarget(made, star, origin=context.origin(node))


def types_of_items(found: Type, count: int, star: int = -1) -> list[Type] | None:
    """Return the types of so many targets to which a value is unpacked; None where it cannot be."""
    if isinstance(found, TupleOf):
        if star < 0:
            return list(found.items) if len(found.items) == count else None
        rest = len(found.items) - count + 1
        if rest < 0 or (inner := join(found.items[star : star + rest])) is None:
            return None
        return [*found.items[:star], ListOf(inner), *found.items[star + rest :]]
    element = element_of(found)
    if element is None:
        return None
    return [ListOf(element) if place == star else element for place in range(count)]


_ELEMENTS: Final[dict[Type, Type]] = {SIZES: INT, TENSOR: TENSOR, STR: STR}


def element_of(found: Type) -> Type | None:
    """Return the type of what a loop over a value gives; None where nothing can loop over it."""
    if isinstance(found, (ListOf, SetOf, IteratorOf, ModulesOf)):
        return STR if isinstance(found, ModulesOf) and found.kind.__name__ == "ModuleDict" else found.element
    if isinstance(found, DictOf):
        return found.key
    if isinstance(found, TupleOf):
        return join(found.items)
    return _ELEMENTS.get(found)


def stored_names(node: ast.AST) -> list[str]:
    """Return the names that a target, or the statements of a function, assign: not those of functions and comprehensions within."""
    found: dict[str, None] = {}
    _stored(node, found)
    return list(found)


def _stored(node: ast.AST, found: dict[str, None]) -> None:
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        found[node.id] = None
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        found[node.name] = None
        return
    if isinstance(node, ast.Lambda):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension) and not isinstance(node, ast.Module):
            _walrus(child, found)
        else:
            _stored(child, found)


def _walrus(node: ast.AST, found: dict[str, None]) -> None:
    """Add what a walrus within a comprehension assigns, which is a variable of the function around it."""
    for one in ast.walk(node):
        if isinstance(one, ast.NamedExpr):
            found[one.target.id] = None
