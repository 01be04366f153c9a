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
    ConstantOf,
    DictOf,
    IteratorOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    SetOf,
    TupleOf,
    Type,
    join,
)


def target(context: Context, node: ast.expr, found: Type) -> Target:
    """Lower a target to which a value of type ``found`` is assigned."""
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
        if isinstance(place, Property) and (place.value.type == TENSOR or _is_tied(context, place, found)):
            return PlaceTarget(place, origin=context.origin(node))
        if not isinstance(place, (Item, Slice, TensorIndex)):
            context.fail(node, f"an assignment to '{ast.unparse(node)}', which is of another object")
        return PlaceTarget(place, origin=context.origin(node))
    raise Untranslatable(context.origin(node), f"an assignment to '{ast.unparse(node)}'")


def _is_tied(context: Context, place: Property, found: Type) -> bool:
    """Return whether a constructor assigns another weight or bias to a PyTorch layer, which TorchSharp's layer allows, too."""
    kind = place.value.type.kind if isinstance(place.value.type, ModuleOf) else None
    of_torch = kind is not None and kind.__module__.startswith("torch.nn.")
    return context.surroundings.constructs and of_torch and place.name in ("weight", "bias") and found == TENSOR


def _field(context: Context, node: ast.Attribute, found: Type) -> PlaceTarget:
    origin = context.origin(node)
    context.surroundings.store(node.attr, found, origin)
    if isinstance(found, ConstantOf):  # a constant that the constructor stores, and C# does not
        return PlaceTarget(Field(node.attr, type=found, origin=origin), origin=origin)
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
    """Return the types of ``count`` targets (a starred one at ``star``, if not -1) for unpacking a value; None if it cannot be unpacked."""
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
    """Return the type of the items in a loop over a value; None if it is not iterable, or if its items have no common type."""
    if isinstance(found, (ListOf, SetOf, IteratorOf, ModulesOf)):
        return STR if isinstance(found, ModulesOf) and found.kind.__name__ == "ModuleDict" else found.element
    if isinstance(found, DictOf):
        return found.key
    if isinstance(found, TupleOf):
        return join(found.items)
    return _ELEMENTS.get(found)


def stored_names(node: ast.AST) -> list[str]:
    """Return the names that a target, or the statements of a function, assign, without those of nested functions and comprehensions."""
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
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.comprehension) and not isinstance(node, ast.Module):
                _walrus(child, found)
            elif isinstance(child, ast.AST) and child._fields:
                _stored(child, found)


def _walrus(node: ast.AST, found: dict[str, None]) -> None:
    """Add the names that a walrus within a comprehension assigns: they are variables of the enclosing function."""
    for one in ast.walk(node):
        if isinstance(one, ast.NamedExpr):
            found[one.target.id] = None
