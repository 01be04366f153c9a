"""The floats of C# that Python may have as ints: ``x = 3 if wide else 2.5``, ``[n, 0.5]``, the sum of an empty list of floats."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from bridge.port.ir import nodes as ir
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import BOOL, FLOAT, INT, DictOf, IteratorOf, ListOf, OptionalOf, SetOf, TupleOf, Type

#: Functions whose value is one of an iterable's elements, or all of them.
_PASSING: Final = frozenset(
    ["abs", "dict", "enumerate", "iter", "list", "max", "min", "next", "reversed", "set", "sorted", "tuple", "zip"]
)
#: Methods whose last argument becomes an element of the container.
_FILLING: Final = ("append", "insert", "add", "extend", "setdefault", "update")
#: Methods that give elements of the container, or the whole.
_READING: Final = ("pop", "get", "copy", "values", "items", "setdefault")


def may_be_int(node: ir.Expression, names: Container[str] = frozenset(), *, zero: bool = False) -> bool:
    """Return whether a float, or a float in a container, may be an int in Python; ``names`` are variables that may hold one.

    Parameters, fields and results of calls are floats if their type says so. With ``zero``, return whether it may be the int 0.
    """
    return _has_float(node.type) and _may(node, names, zero)


def int_names(function: ir.Function, *, zero: bool = False) -> frozenset[str]:
    """Return the variables of a function that hold floats of C#, at least one of which may be an int in Python, or the int 0."""
    assigned = [pair for node in walk(function) for pair in _assignments(node)]
    names: set[str] = set()
    while True:  # the least set that holds for all assignments
        more = {name for name, value, kind in assigned if name not in names and _is_mixed(value, kind, names, zero)}
        if not more:
            return frozenset(names)
        names |= more


# -- Types -----------------------------------------------------------------------------------------------------------------


def _parts(found: Type) -> tuple[Type, ...]:
    if isinstance(found, (ListOf, SetOf, IteratorOf)):
        return (found.element,)
    if isinstance(found, OptionalOf):
        return (found.inner,)
    if isinstance(found, DictOf):
        return (found.key, found.value)
    return found.items if isinstance(found, TupleOf) else ()


def _has_float(found: Type) -> bool:
    return found == FLOAT or any(map(_has_float, _parts(found)))


def _becomes_float(have: Type, wanted: Type) -> bool:
    """Return whether an int of a type is a float of another."""
    if wanted == FLOAT:
        return have in (INT, BOOL) or (isinstance(have, OptionalOf) and have.inner in (INT, BOOL))
    if isinstance(wanted, OptionalOf) and not isinstance(have, OptionalOf):
        return _becomes_float(have, wanted.inner)
    return any(_becomes_float(one, other) for one, other in zip(_parts(have), _parts(wanted), strict=False))


# -- Expressions -----------------------------------------------------------------------------------------------------------


def _is_mixed(value: ir.Expression, wanted: Type, names: Container[str], zero: bool) -> bool:
    """Return whether a value, in a place of the type ``wanted``, is or holds a float of C# that may be an int in Python."""
    if zero and isinstance(value, ir.Literal) and value.value:
        return False
    return _becomes_float(value.type, wanted) or may_be_int(value, names, zero=zero)


def _may(node: ir.Expression, names: Container[str], zero: bool) -> bool:
    if isinstance(node, ir.Literal):
        return type(node.value) is int and not (zero and node.value)
    if isinstance(node, ir.Local):
        return node.name in names
    if isinstance(node, ir.Binary):
        sides = (node.left, node.right)
        numbers = node.type == FLOAT
        if numbers and (node.operator == "/" or all(one.type != FLOAT for one in sides)):
            return False
        return (all if numbers else any)(_is_mixed(one, node.type, names, zero) for one in sides)
    return any(_is_mixed(value, wanted, names, zero) for value, wanted in _sources(node))


def _sources(node: ir.Expression) -> Iterator[tuple[ir.Expression, Type]]:
    """Yield the expressions whose values may be the value of a node, or a part of it, with the type that each has there."""
    match node:
        case ir.Convert() | ir.Bind():
            yield node.value, node.type
        case ir.Item() | ir.TupleItem() | ir.Slice():
            yield node.value, node.value.type
        case ir.Unary():
            yield node.operand, node.type
        case ir.Conditional():
            yield from ((one, node.type) for one in (node.body, node.other))
        case ir.Logical():
            yield from ((one, node.type) for one in node.values)
        case ir.ListLiteral() | ir.SetLiteral() | ir.TupleLiteral() | ir.DictLiteral():
            yield from _items(node)
        case ir.Comprehension():
            yield node.element, _parts(node.type)[-1]
        case ir.BuiltinCall():
            yield from _of_builtin(node)
        case ir.ContainerCall() if node.name in _READING:
            yield node.value, node.value.type
            yield from ((one, node.type) for one in node.arguments[1:])


def _items(
    node: ir.ListLiteral | ir.SetLiteral | ir.TupleLiteral | ir.DictLiteral,
) -> Iterator[tuple[ir.Expression, Type]]:
    if isinstance(node, ir.DictLiteral):
        yield from ((value, _parts(node.type)[-1]) for _, value in node.entries)
        return
    wanted = _parts(node.type)
    for place, one in enumerate(node.items):
        if isinstance(one, ir.Spread):
            yield one.value, ListOf(wanted[0])
        else:
            yield one, wanted[place] if isinstance(node.type, TupleOf) and place < len(wanted) else wanted[0]


def _of_builtin(node: ir.BuiltinCall) -> Iterator[tuple[ir.Expression, Type]]:
    given = node.arguments
    if node.name == "sum":  # which is the start where there is nothing to add
        starts = [*given[1:], *(one.value for one in node.keywords if one.name == "start")]
        yield starts[0] if starts else ir.Literal(0, type=INT), node.type
    elif node.name in ("min", "max") and len(given) > 1:
        yield from ((one, node.type) for one in given)
    elif node.name == "round":
        yield given[0], given[0].type
    elif node.name in _PASSING:
        yield from ((one, one.type) for one in given)


# -- Assignments -----------------------------------------------------------------------------------------------------------


def _assignments(node: ir.Node) -> Iterator[tuple[str, ir.Expression, Type]]:
    """Yield the variables that a node assigns or fills, with the values and the types that these have there."""
    match node:
        case ir.Assign():
            yield from _assigned(node.target, node.value)
        case ir.Augment(target=ir.LocalTarget(name=name, type=kind)):
            yield name, ir.Binary(node.operator, ir.Local(name, type=kind), node.value, type=kind), kind
        case ir.Bind():
            yield node.name, node.value, node.type
        case ir.For() | ir.Generator():
            yield from _assigned(node.target, _element(node.source))
        case ir.ContainerCall(value=ir.Local(name=name, type=kind)) if node.name in _FILLING and node.arguments:
            whole = node.name in ("extend", "update") or not _parts(kind)
            yield name, node.arguments[-1], kind if whole else _parts(kind)[-1]


def _assigned(target: ir.Target, value: ir.Expression) -> Iterator[tuple[str, ir.Expression, Type]]:
    match target:
        case ir.LocalTarget():
            yield target.name, value, target.type
        case ir.PlaceTarget(place=ir.Item(value=ir.Local(name=name), type=kind)):
            yield name, value, kind
        case ir.TupleTarget():
            for place, one in enumerate(target.items):
                yield from _assigned(one, _part(value, place, len(target.items)))


def _element(source: ir.Expression) -> ir.Expression:
    """Return an expression that stands for each element of an iterable."""
    found = _parts(source.type)
    return ir.Item(source, ir.Literal(0, type=INT), type=found[0]) if found else source


def _part(value: ir.Expression, place: int, count: int) -> ir.Expression:
    """Return the item of a value that is unpacked to ``count`` targets."""
    if isinstance(value, (ir.TupleLiteral, ir.ListLiteral)) and len(value.items) == count:
        item = value.items[place]
        return item.value if isinstance(item, ir.Spread) else item
    if isinstance(value.type, TupleOf) and len(value.type.items) == count:
        return ir.TupleItem(value, place, type=value.type.items[place])
    return _element(value)
