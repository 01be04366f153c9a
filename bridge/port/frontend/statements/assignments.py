"""Assignments, plain and augmented, to variables, tuples of variables, fields and items."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from torch import nn

from bridge.port.frontend.calls import functions_as_values, keyword_sets
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import annotated_type, type_of_name
from bridge.port.frontend.scope import coerced, holds_unknown
from bridge.port.frontend.statements import registrations
from bridge.port.frontend.statements.accumulators import accumulator_of, split
from bridge.port.frontend.statements.buffers import replaced
from bridge.port.frontend.targets import target
from bridge.port.frontend.values import none, there
from bridge.port.ir.nodes import (
    Assign,
    Augment,
    Conditional,
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
    Property,
    Slice,
    Statement,
    Target,
    TupleLiteral,
    TupleTarget,
)
from bridge.port.ir.types import (
    NONE,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    SetOf,
    Type,
    is_number,
    join,
    required,
)

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
    """Lower ``a: T = value``; the annotation gives the type of an empty container's elements."""
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
    if (kept := _keywords(context, targets, node, statement)) is not None:
        return kept
    if len(targets) == 1 and (buffer := registrations.buffer_of(context, targets[0], node)) is not None:
        return buffer
    value = _function(context, targets, node) or _known(context, targets, context.expression(node), annotated)
    if value.type == NONE and isinstance(value, (FunctionCall, MethodCall, Conditional)):  # a call of a void method
        after = tuple(assign(context, one, none(value.origin), statement) for one in targets)
        return (Evaluate(value, origin=context.origin(statement)), *after)
    if len(targets) == 1 and (added := _entry(context, targets[0], value)) is not None:
        return added
    if len(targets) == 1 and (changed := replaced(context, targets[0], value)) is not None:
        return (changed,)
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


def _keywords(
    context: Context, targets: Sequence[ast.expr], node: ast.expr, statement: ast.stmt
) -> tuple[Statement, ...] | None:
    """Return the assignments of a dictionary used only for keyword arguments, with a variable for each entry; None for another value."""
    name = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""
    entries = keyword_sets.entries_of(context, name, node) if name else None
    if entries is None:
        return None
    made: list[Statement] = []
    variables: dict[str, str] = {}
    for key, value in entries.items():
        if isinstance(value, ast.Name) and keyword_sets.is_settled(context, value):
            variables[key] = value.id
            continue
        variables[key] = f"{name}_{key}"
        target_of = ast.copy_location(ast.Name(variables[key], ast.Store()), value)
        made += _assigned(context, [target_of], value, statement)
    context.given[name] = variables
    return tuple(made)


def _entry(context: Context, node: ast.expr, value: Expression) -> tuple[Statement, ...] | None:
    """Return the statement for ``self.name = module`` if the module's class takes any number of children; None for another assignment."""
    if not isinstance(node, ast.Attribute) or not context.surroundings.constructs:
        return None
    if not isinstance(node.value, ast.Name) or node.value.id != context.receiver:
        return None
    return registrations.entry(context, node, Literal(node.attr, type=STR, origin=context.origin(node)), value)


def _function(context: Context, targets: Sequence[ast.expr], node: ast.expr) -> Expression | None:
    """Return the function that ``node`` names, as a constant, if no other function is assigned to the variables; else None."""
    found = functions_as_values.constant(context, node)
    if found is None or not all(isinstance(one, ast.Name) for one in targets):
        return None
    names = {one.id for one in targets if isinstance(one, ast.Name)}
    values = [
        one.value
        for one in ast.walk(context.method.tree)
        if isinstance(one, ast.Assign) and names & {to.id for to in one.targets if isinstance(to, ast.Name)}
    ]
    others = [(functions_as_values.constant(context, one), context.ran(one)) for one in values]
    return found if all(not ran if one is None else one.type == found.type for one, ran in others) else None


def _known(context: Context, targets: Sequence[ast.expr], value: Expression, annotated: Type) -> Expression:
    """Return the value with its type from the runs or an annotation, if its own type is partly unknown, as for an empty container."""
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
    """Return a value converted to the type of a target."""
    if isinstance(found, LocalTarget):
        return coerced(value, found.type)
    if isinstance(found, PlaceTarget):
        place = found.place.type
        if _is_of_layer(found.place) and _may_be_null(value):
            return Convert(replace(value, type=OptionalOf(TENSOR)), type=TENSOR, origin=value.origin)
        return coerced(value, place) if place not in (UNKNOWN, TENSOR) and not holds_unknown(place) else value
    if isinstance(found, TupleTarget) and isinstance(value, TupleLiteral) and found.star < 0:
        items = [
            fitted(a, b) if isinstance(a, Expression) else a for a, b in zip(value.items, found.items, strict=False)
        ]
        return replace(value, items=tuple(items)) if len(items) == len(value.items) else value
    return value


def _is_of_layer(value: Expression) -> bool:
    """Return whether an expression is a parameter of a layer, such as ``head.weight``."""
    return isinstance(value, Property) and isinstance(value.value.type, ModuleOf)


def _may_be_null(value: Expression) -> bool:
    """Return whether an expression is a parameter of a layer that TorchSharp declares as nullable, unlike a linear layer's weight."""
    linear = (
        isinstance(value, Property) and isinstance(value.value.type, ModuleOf) and value.value.type.kind is nn.Linear
    )
    return _is_of_layer(value) and value.type == TENSOR and not linear


# -- Containers that are empty at first --------------------------------------------------------------------------------


def refine_by_item(context: Context, found: PlaceTarget, value: Expression) -> None:
    """Refine the type of an empty dictionary by an assignment ``container[key] = value``."""
    if isinstance(found.place, Item):
        inner = found.place.value.type
        if isinstance(inner, DictOf):
            _refine(context, found.place.value, DictOf(found.place.index.type, value.type))


def refine_by_call(context: Context, call: ContainerCall) -> None:
    """Refine the type of an empty container by a call of ``append``, ``add``, ``insert`` or ``extend``."""
    known = call.value.type
    if not isinstance(known, (ListOf, SetOf, ModulesOf)) or not call.arguments:
        return
    if isinstance(known, ModulesOf) and known.kind is nn.Sequential:  # its modules are all called in the same way
        return
    given = call.arguments[-1].type
    if call.name == "extend":
        if isinstance(given, (ListOf, ModulesOf)):
            _refine(context, call.value, _of(known, given.element))
    elif call.name in ("append", "add", "insert"):
        _refine(context, call.value, _of(known, given))


def _of(known: ListOf | SetOf | ModulesOf, element: Type) -> Type:
    """Return the type of a container of the same kind as ``known``, with elements of type ``element``."""
    return ModulesOf(known.kind, element) if isinstance(known, ModulesOf) else type(known)(element)


def _refine(context: Context, value: Expression, found: Type) -> None:
    while isinstance(value, Convert):
        value = value.value
    if isinstance(value, Local):
        context.scope.refine(value.name.partition("#")[0], found)
    if isinstance(value, Field) and context.surroundings.constructs:
        context.surroundings.store(value.name, found, value.origin)


# -- In place ----------------------------------------------------------------------------------------------------------


def lower_augmented(context: Context, node: ast.AugAssign) -> tuple[Statement, ...]:
    """Lower ``target op= value``: in place if the target is a tensor or a container, else as a new value."""
    if name := accumulator_of(context, node):
        return split(context, node, name, lambda: (_augmented(context, node),))
    return (_augmented(context, node),)


def _augmented(context: Context, node: ast.AugAssign) -> Statement:
    read = ast.copy_location(_read(node.target), node)
    origin, operator = context.origin(node), OPERATORS[type(node.op)]
    old = context.expression(read)
    in_place = old.type == TENSOR or isinstance(old.type, (ListOf, SetOf, DictOf))
    if in_place and node.value not in context.grown:
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
    # The field keeps its tensor or list: a buffer may be changed in place, but not replaced.
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
    """Lower ``del``: a variable is removed from the scope, an item from its container."""
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
