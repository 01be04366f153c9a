"""Assignments: to variables, tuples of them, fields, items; in place and not."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bridge.port.frontend.calls import functions_as_values
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import annotated_type, type_of_name
from bridge.port.frontend.scope import coerced, holds_unknown
from bridge.port.frontend.statements.accumulators import accumulator_of, split
from bridge.port.frontend.targets import target
from bridge.port.frontend.values import none, there
from bridge.port.ir.nodes import (
    Assign,
    Augment,
    ContainerCall,
    Convert,
    Evaluate,
    Expression,
    Field,
    FunctionCall,
    Item,
    Literal,
    Local,
    LocalTarget,
    MethodCall,
    PlaceTarget,
    Slice,
    Statement,
    Target,
    TupleLiteral,
    TupleTarget,
)
from bridge.port.ir.types import NONE, TENSOR, UNKNOWN, DictOf, ListOf, SetOf, Type, is_number, join, required

OPERATORS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}


def lower_assign(context: Context, node: ast.Assign) -> tuple[Statement, ...]:
    """Lower ``a = b = value``: the value once, the targets from the left."""
    if name := accumulator_of(context, node):
        return split(context, node, name, lambda: _assigned(context, node.targets, node.value, node))
    return _assigned(context, node.targets, node.value, node)


def lower_annotated(context: Context, node: ast.AnnAssign) -> tuple[Statement, ...]:
    """Lower ``a: T = value``; the annotation says what an empty container holds."""
    value = node.value
    if value is None:
        return ()
    annotated = annotated_type(context, node.annotation)
    if name := accumulator_of(context, node):
        return split(context, node, name, lambda: _assigned(context, [node.target], value, node, annotated))
    return _assigned(context, [node.target], value, node, annotated)


def _assigned(
    context: Context, targets: Sequence[ast.expr], node: ast.expr, statement: ast.stmt, annotated: Type = UNKNOWN
) -> tuple[Statement, ...]:
    value = _function(context, targets, node) or _known(context, targets, context.expression(node), annotated)
    if value.type == NONE and isinstance(value, (FunctionCall, MethodCall)):  # which C# does not assign
        after = tuple(assign(context, one, none(value.origin), statement) for one in targets)
        return (Evaluate(value, origin=context.origin(statement)), *after)
    if len(targets) == 1:
        return (assign(context, targets[0], value, statement),)
    if isinstance(value, Literal):
        return tuple(assign(context, one, value, statement) for one in targets)
    ordered = sorted(targets, key=lambda one: not isinstance(one, ast.Name))
    origin = context.origin(statement)
    if isinstance(ordered[0], ast.Name):
        made, name, rest = [assign(context, ordered[0], value, statement)], ordered[0].id, ordered[1:]
    else:
        local = context.scope.fresh("value", value.type)
        made, name, rest = [Assign(local, value, origin=origin)], local.name, ordered
    for one in rest:
        read = context.scope.read(name, origin)
        assert read is not None
        made.append(assign(context, one, read, statement))
    return tuple(made)


def _function(context: Context, targets: Sequence[ast.expr], node: ast.expr) -> Expression | None:
    """Return a function of a source file that is the only one that its variable is given by name: calls of that are calls of it."""
    found = functions_as_values.constant(context, node)
    if found is None or not all(isinstance(one, ast.Name) for one in targets):
        return None
    names = {one.id for one in targets if isinstance(one, ast.Name)}
    others = [
        functions_as_values.constant(context, one.value)
        for one in ast.walk(context.method.tree)
        if isinstance(one, ast.Assign) and names & {to.id for to in one.targets if isinstance(to, ast.Name)}
    ]
    return found if all(one is None or one.type == found.type for one in others) else None


def _known(context: Context, targets: Sequence[ast.expr], value: Expression, annotated: Type) -> Expression:
    """Return the value with the type that the runs or an annotation give it, where its own type says less: an empty container."""
    if not holds_unknown(value.type):
        return value
    names = [one.id for one in targets if isinstance(one, ast.Name)]
    found = join((value.type, annotated, *(type_of_name(context, one) for one in names)))
    return value if found is None or isinstance(value, (Local, Convert)) else replace(value, type=required(found))


def assign(context: Context, node: ast.expr, value: Expression, statement: ast.stmt) -> Assign:
    """Assign a lowered value to one target."""
    if value.type == UNKNOWN:
        context.fail(statement, f"the type of '{ast.unparse(node)}'")
    if isinstance(node, (ast.Tuple, ast.List)):
        value = there(value)
    found = target(context, node, value.type)
    if isinstance(found, LocalTarget) and isinstance(node, ast.Name):
        context.scope.note_literal(node.id, value)
        if is_number(value.type) and context.scope.accumulates(node.id):
            value = Literal(None, type=NONE, origin=value.origin)
    if isinstance(found, PlaceTarget):
        refine_by_item(context, found, value)
    return Assign(found, fitted(value, found), origin=context.origin(statement))


def fitted(value: Expression, found: Target) -> Expression:
    """Return a value converted to what a target holds."""
    if isinstance(found, LocalTarget):
        return coerced(value, found.type)
    if isinstance(found, PlaceTarget):
        place = found.place.type
        return coerced(value, place) if place not in (UNKNOWN, TENSOR) and not holds_unknown(place) else value
    if isinstance(found, TupleTarget) and isinstance(value, TupleLiteral) and found.star < 0:
        items = [
            fitted(a, b) if isinstance(a, Expression) else a for a, b in zip(value.items, found.items, strict=False)
        ]
        return replace(value, items=tuple(items)) if len(items) == len(value.items) else value
    return value


# -- Containers that are empty at first --------------------------------------------------------------------------------


def refine_by_item(context: Context, found: PlaceTarget, value: Expression) -> None:
    """Note what ``container[key] = value`` tells of an empty container."""
    if isinstance(found.place, Item):
        inner = found.place.value.type
        if isinstance(inner, DictOf):
            _refine(context, found.place.value, DictOf(found.place.index.type, value.type))


def refine_by_call(context: Context, call: ContainerCall) -> None:
    """Note what ``append``, ``add``, ``insert`` and ``extend`` tell of an empty container."""
    known = call.value.type
    if not isinstance(known, (ListOf, SetOf)) or not call.arguments:
        return
    given = call.arguments[-1].type
    if call.name in ("append", "add", "insert"):
        _refine(context, call.value, type(known)(given))
    elif call.name == "extend" and isinstance(given, ListOf):
        _refine(context, call.value, given)


def _refine(context: Context, value: Expression, found: Type) -> None:
    while isinstance(value, Convert):
        value = value.value
    if isinstance(value, Local):
        context.scope.refine(value.name.partition("#")[0], found)


# -- In place ----------------------------------------------------------------------------------------------------------


def lower_augmented(context: Context, node: ast.AugAssign) -> tuple[Statement, ...]:
    """Lower ``target op= value``: in place where the target is a tensor or a list, else a new value."""
    if name := accumulator_of(context, node):
        return split(context, node, name, lambda: (_augmented(context, node),))
    return (_augmented(context, node),)


def _augmented(context: Context, node: ast.AugAssign) -> Statement:
    read = ast.copy_location(_read(node.target), node)
    origin, operator = context.origin(node), OPERATORS[type(node.op)]
    old = context.expression(read)
    if old.type == TENSOR or isinstance(old.type, (ListOf, SetOf, DictOf)):
        return _in_place(context, node, old, operator)
    whole = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
    made = context.expression(whole)
    if isinstance(node.target, ast.Name):
        return assign(context, node.target, made, node)
    if made.type != old.type:
        context.fail(node, f"'{ast.unparse(node)}', of a {old.type} that becomes a {made.type}")
    return Augment(target(context, node.target, made.type), operator, context.expression(node.value), origin=origin)


def _in_place(context: Context, node: ast.AugAssign, old: Expression, operator: str) -> Statement:
    value, origin = context.expression(node.value), context.origin(node)
    if isinstance(old.type, ListOf) and isinstance(node.target, ast.Name):
        _refine(context, old, value.type if isinstance(value.type, ListOf) else old.type)
    if isinstance(node.target, ast.Name):
        inner = old.value if isinstance(old, Convert) else old
        if not isinstance(inner, Local):
            context.fail(node, f"'{ast.unparse(node)}'")
        return Augment(LocalTarget(inner.name, old.type, origin=origin), operator, value, origin=origin)
    inner = old.value if isinstance(old, Convert) else old
    # A field holds the same tensor or list afterwards: a buffer may be changed, and not be replaced.
    if isinstance(inner, Field):
        return Augment(PlaceTarget(replace(inner, type=old.type), origin=origin), operator, value, origin=origin)
    return Augment(target(context, node.target, old.type), operator, value, origin=origin)


def _read(node: ast.expr) -> ast.expr:
    """Return a target as an expression that is read."""
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    if isinstance(node, ast.Attribute):
        return ast.copy_location(ast.Attribute(node.value, node.attr, ast.Load()), node)
    assert isinstance(node, ast.Subscript)
    return ast.copy_location(ast.Subscript(node.value, node.slice, ast.Load()), node)


def lower_delete(context: Context, node: ast.Delete) -> tuple[Statement, ...]:
    """Lower ``del``: a variable is gone, an item is taken out."""
    made: list[Statement] = []
    for one in node.targets:
        if isinstance(one, ast.Name):
            context.scope.delete(one.id)
            continue
        place = context.expression(_read(one)) if isinstance(one, ast.Subscript) else None
        if (
            isinstance(place, Slice)
            or not isinstance(place, Item)
            or not isinstance(place.value.type, (ListOf, DictOf))
        ):
            context.fail(node, f"'{ast.unparse(node)}'")
        taken = ContainerCall(place.value, "pop", (place.index,), type=place.type, origin=place.origin)
        made.append(Evaluate(taken, origin=context.origin(node)))
    return tuple(made)
