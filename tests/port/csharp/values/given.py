"""Operands of hand-made IR, and its text in C#."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    SIZES,
    STR,
    TENSOR,
    DictOf,
    ListOf,
    SetOf,
    TupleOf,
    Type,
    optional,
)

N, M = (ir.Local(name, type=INT) for name in "nm")
A, B = (ir.Local(name, type=FLOAT) for name in "ab")
P, Q = (ir.Local(name, type=BOOL) for name in "pq")
S, T = (ir.Local(name, type=STR) for name in "st")
X, Y = (ir.Local(name, type=TENSOR) for name in "xy")
MAYBE = ir.Local("maybe", type=optional(TENSOR))
MAYBE_N = ir.Local("maybeN", type=optional(INT))
INTS = ir.Local("ints", type=ListOf(INT))
TENSORS = ir.Local("tensors", type=ListOf(TENSOR))
STRINGS = ir.Local("strings", type=ListOf(STR))
UNIQUE = ir.Local("unique", type=SetOf(INT))
TABLE = ir.Local("table", type=DictOf(STR, TENSOR))
COUNTS = ir.Local("counts", type=DictOf(STR, INT))
PAIR = ir.Local("pair", type=TupleOf((INT, TENSOR)))
SIZE = ir.Local("size", type=SIZES)
SHAPE = ir.Property(X, "shape", type=SIZES)
#: A number that is never negative: the first size of a tensor.
C = ir.Item(SHAPE, ir.Literal(0, type=INT), type=INT)

_TYPES: dict[type, Type] = {bool: BOOL, int: INT, float: FLOAT, str: STR, type(None): NONE}


def lit(value: object) -> ir.Literal:
    """Return a literal."""
    return ir.Literal(value, type=_TYPES.get(type(value), NONE))


def binary(operator: str, left: ir.Expression, right: ir.Expression, kind: Type | None = None) -> ir.Binary:
    """Return an operator's node, of the type that Python gives it."""
    return ir.Binary(operator, left, right, type=kind or _result(operator, left.type, right.type))


def _result(operator: str, left: Type, right: Type) -> Type:
    if TENSOR in (left, right):
        return TENSOR
    if operator == "/" or FLOAT in (left, right):
        return FLOAT
    if left == right == BOOL and operator in ("&", "|", "^"):
        return BOOL
    return INT if left in (INT, BOOL) and right in (INT, BOOL) else left


def compare(operator: str, left: ir.Expression, right: ir.Expression) -> ir.Compare:
    """Return a comparison."""
    return ir.Compare(
        operator,
        left,
        right,
        type=TENSOR
        if TENSOR in (left.type, right.type) and len(operator) < 3 and operator not in ("is", "in")
        else BOOL,
    )


def builtin(name: str, *arguments: ir.Expression, kind: Type = INT, **keywords: ir.Expression) -> ir.BuiltinCall:
    """Return a call of a built-in function."""
    named = tuple(ir.Argument(key, value, positional=False) for key, value in keywords.items())
    return ir.BuiltinCall(name, arguments, named, type=kind)


def method(value: ir.Expression, name: str, *arguments: ir.Expression, kind: Type = NONE) -> ir.ContainerCall:
    """Return a call of a container's method."""
    return ir.ContainerCall(value, name, arguments, type=kind)


def tuple_of(*items: ir.Expression | ir.Spread, kind: Type | None = None) -> ir.TupleLiteral:
    """Return a tuple."""
    types = tuple(one.type for one in items if isinstance(one, ir.Expression))
    return ir.TupleLiteral(items, type=kind or TupleOf(types))


def list_of(*items: ir.Expression | ir.Spread, element: Type = INT) -> ir.ListLiteral:
    """Return a list."""
    return ir.ListLiteral(items, type=ListOf(element))


def csharp(node: ir.Expression, nonnegative: Sequence[str] = ()) -> str:
    """Return an expression's text in C#."""
    return text(begin(nonnegative=frozenset(nonnegative)).expression(node))
