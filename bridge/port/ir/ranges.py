"""Proofs, by the structure of expressions, that numbers are not negative, so that C#'s ``/`` and ``%`` are Python's ``//`` and ``%``."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, Final

import torch

from bridge.port.ir import nodes as ir
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import BOOL, FLOAT, INT, SIZES, STR, TENSOR, ListOf, TupleOf, Type

#: A variable and its assigned value; a bool in place of the value says whether the value is proven not to be negative.
_Assignment = tuple[str, "ir.Expression | bool"]

_LENGTHS: Final = frozenset(
    {"len", "abs", "math.sqrt", "math.exp", "math.gcd", "math.isqrt", "math.fabs", "math.factorial"}
)
_OF_TENSORS: Final = frozenset({"size", "dim", "numel", "nelement", "ndimension", "element_size"})


def is_nonnegative(node: ir.Expression, names: Container[str] = frozenset()) -> bool:
    """Return whether a number, or every number of a tuple, is proven not to be negative; ``names`` are variables that never are."""
    if node.type == BOOL:
        return True
    if isinstance(node, ir.Local):
        return node.name in names
    prove = _PROOFS.get(type(node))
    return prove is not None and bool(prove(node, names))


def is_positive(node: ir.Expression, names: Container[str] = frozenset()) -> bool:
    """Return whether a number is proven to be positive; ``names`` are variables that are never negative."""
    match node:
        case ir.Literal():
            return isinstance(node.value, (int, float)) and node.value > 0
        case ir.Binary(operator="+"):
            sides = (node.left, node.right)
            return all(is_nonnegative(one, names) for one in sides) and any(is_positive(one, names) for one in sides)
        case ir.Binary(operator="*" | "**"):  # a product of floats may underflow to zero
            return {node.left.type, node.right.type} == {INT} and all(
                is_positive(one, names) for one in (node.left, node.right)
            )
        case ir.BuiltinCall(name="max"):
            return len(node.arguments) > 1 and any(is_positive(one, names) for one in node.arguments)
        case ir.BuiltinCall(name="math.sqrt" | "float") | ir.Convert():
            inner = node.value if isinstance(node, ir.Convert) else node.arguments[0]
            return is_positive(inner, names)
    return False


def nonnegative_names(function: ir.Function) -> frozenset[str]:
    """Return the variables of a function that never hold a negative number, as is proven from their assigned values and one another."""
    assigned: dict[str, list[ir.Expression | bool]] = {}
    for node in walk(function):
        for name, value in _assignments(node):
            assigned.setdefault(name, []).append(value)
    names = set(assigned)
    while True:  # the greatest set that proves itself, by induction over the assignments that run
        kept = {name for name in names if all(_holds(one, names) for one in assigned[name])}
        if kept == names:
            return frozenset(names)
        names = kept


def _holds(value: ir.Expression | bool, names: Container[str]) -> bool:
    return value if isinstance(value, bool) else is_nonnegative(value, names)


# -- Expressions -----------------------------------------------------------------------------------------------------------


def _literal(node: ir.Literal, names: Container[str]) -> bool:
    return isinstance(node.value, (int, float)) and node.value >= 0


def _binary(node: ir.Binary, names: Container[str]) -> bool:
    left, right = is_nonnegative(node.left, names), is_nonnegative(node.right, names)
    if not _has_numbers(node.left.type) or not _has_numbers(node.right.type):
        return False
    match node.operator:
        case "%":
            return right
        case ">>" | "**":
            return left
        case "&":
            return left or right
        case "-":
            return _is_least(node.left, node.right)
        case "+" | "*" | "/" | "//" | "|" | "^" | "<<":
            return left and right
    return False


def _is_least(left: ir.Expression, right: ir.Expression) -> bool:
    """Return whether ``left - right`` is ``n - x % m`` of ints, and the remainder is at most ``n``."""
    if not isinstance(left, ir.Literal) or not isinstance(right, ir.Binary) or right.operator != "%":
        return False
    by = right.right
    whole = isinstance(by, ir.Literal) and {left.type, right.left.type, by.type} == {INT}
    return whole and isinstance(by, ir.Literal) and 0 < by.value <= left.value + 1


def _builtin(node: ir.BuiltinCall, names: Container[str]) -> bool:
    if node.name in _LENGTHS:
        return True
    proofs = [is_nonnegative(one, names) for one in node.arguments]
    if node.name == "max":
        return (any(proofs) and len(proofs) > 1) or (all(proofs) and len(proofs) == 1)
    kept = node.name in ("min", "int", "float", "round", "math.floor", "math.ceil", "math.trunc", "sum", "tuple")
    return kept and bool(proofs) and all(proofs)


def _property(node: ir.Property, names: Container[str]) -> bool:
    return node.value.type == TENSOR and node.name in ("shape", "ndim")


def _torch_call(node: ir.TorchCall, names: Container[str]) -> bool:
    name = getattr(node.function, "__name__", "")
    return name in _OF_TENSORS and node.receiver is not None and getattr(torch.Tensor, name, None) is not None


def _tuple_item(node: ir.TupleItem, names: Container[str]) -> bool:
    if isinstance(node.value, ir.TupleLiteral) and not any(isinstance(one, ir.Spread) for one in node.value.items):
        item: Any = node.value.items[node.place]
        return is_nonnegative(item, names)
    return is_nonnegative(node.value, names)


def _every(node: ir.TupleLiteral | ir.ListLiteral, names: Container[str]) -> bool:
    parts = [one.value if isinstance(one, ir.Spread) else one for one in node.items]
    return all(_has_numbers(one.type) and is_nonnegative(one, names) for one in parts)


_PROOFS: Final[dict[type, Any]] = {
    ir.Literal: _literal,
    ir.Binary: _binary,
    ir.BuiltinCall: _builtin,
    ir.Property: _property,
    ir.TorchCall: _torch_call,
    ir.TupleItem: _tuple_item,
    ir.TupleLiteral: _every,
    ir.ListLiteral: _every,
    ir.Item: lambda node, names: node.value.type in (SIZES,) and is_nonnegative(node.value, names),
    ir.Slice: lambda node, names: node.value.type != STR and is_nonnegative(node.value, names),
    ir.Unary: lambda node, names: node.operator == "+" and is_nonnegative(node.operand, names),
    ir.Conditional: lambda node, names: is_nonnegative(node.body, names) and is_nonnegative(node.other, names),
    ir.Bind: lambda node, names: is_nonnegative(node.value, names),
    ir.Convert: lambda node, names: _has_numbers(node.value.type) and is_nonnegative(node.value, names),
}


def _has_numbers(found: Type) -> bool:
    """Return whether a type is that of numbers, sizes, a tuple of numbers, or a list of ints."""
    if isinstance(found, TupleOf):
        return all(one in (INT, FLOAT, BOOL) for one in found.items)
    return found in (INT, FLOAT, BOOL, SIZES) or found == ListOf(INT)


# -- Assignments -----------------------------------------------------------------------------------------------------------


def _assignments(node: ir.Node) -> Iterator[_Assignment]:
    """Yield the variables that a node assigns, with the values."""
    if isinstance(node, ir.Assign):
        yield from _assigned(node.target, node.value)
    elif isinstance(node, ir.Augment) and isinstance(node.target, ir.LocalTarget):
        target = node.target
        whole = ir.Local(target.name, type=target.type)
        yield target.name, ir.Binary(node.operator, whole, node.value, type=target.type)
    elif isinstance(node, ir.Bind):
        yield node.name, node.value
    elif isinstance(node, (ir.For, ir.Generator)):
        yield from _walked(node.target, node.source)
    elif isinstance(node, ir.CountingLoop):
        yield node.name, node.start if node.step > 0 else False
    elif isinstance(node, ir.Parameter):
        yield node.name, False
    elif isinstance(node, ir.Lambda):
        yield from ((name, False) for name in node.parameters)


def _assigned(target: ir.Target, value: ir.Expression | bool) -> Iterator[_Assignment]:
    if isinstance(target, ir.LocalTarget):
        changes = isinstance(target.type, ListOf)  # a list may change after it is assigned
        yield target.name, value if not changes else False
    elif isinstance(target, ir.TupleTarget):
        for place, one in enumerate(target.items):
            yield from _assigned(one, _item(value, place, len(target.items), target.star))


def _item(value: ir.Expression | bool, place: int, count: int, star: int) -> ir.Expression | bool:
    """Return the value that an item of a target is assigned; a container of numbers stands for each of its numbers."""
    if isinstance(value, bool):
        return value
    literal = isinstance(value, (ir.TupleLiteral, ir.ListLiteral)) and len(value.items) == count and star < 0
    if literal and isinstance(value, (ir.TupleLiteral, ir.ListLiteral)):
        item = value.items[place]
        return False if isinstance(item, ir.Spread) else item
    return value if _has_numbers(value.type) else False


def _walked(target: ir.Target, source: ir.Expression) -> Iterator[_Assignment]:
    """Yield the variables of a loop's target, with expressions that stand for every element."""
    if isinstance(source, ir.BuiltinCall) and isinstance(target, ir.TupleTarget):
        if source.name == "enumerate" and len(target.items) == 2:
            starts = [*source.arguments[1:], *(one.value for one in source.keywords)]
            yield from _assigned(target.items[0], starts[0] if starts else True)
            yield from _walked(target.items[1], source.arguments[0])
            return
        if source.name == "zip" and len(target.items) == len(source.arguments) and target.star < 0:
            for one, each in zip(target.items, source.arguments, strict=True):
                yield from _walked(one, each)
            return
    if isinstance(source, ir.BuiltinCall) and source.name == "range":
        yield from _assigned(target, _range_is_nonnegative(source))
        return
    numbers = isinstance(source, ir.BuiltinCall) and source.name in ("reversed", "sorted") and bool(source.arguments)
    inner = source.arguments[0] if numbers and isinstance(source, ir.BuiltinCall) else source
    if inner is not source:
        yield from _walked(target, inner)
        return
    yield from _assigned(target, source if source.type == SIZES or isinstance(source.type, TupleOf) else False)


def _range_is_nonnegative(source: ir.BuiltinCall) -> ir.Expression | bool:
    if len(source.arguments) == 1:
        return True
    step = source.arguments[2] if len(source.arguments) == 3 else ir.Literal(1, type=INT)
    if not isinstance(step, ir.Literal):
        return False
    stop = source.arguments[1]
    if step.value < 0:  # counts down to ``stop``, which is excluded
        return isinstance(stop, ir.Literal) and stop.value >= -1
    return source.arguments[0]
