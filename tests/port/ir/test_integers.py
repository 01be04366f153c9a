"""integers.py: which floats of C# may be ints in Python."""

from __future__ import annotations

import pytest

from bridge.port.ir import nodes as ir
from bridge.port.ir.integers import int_names, may_be_int
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, STR, DictOf, IteratorOf, ListOf, TupleOf, Type

_N, _X, _Y = ir.Local("n", type=INT), ir.Local("x", type=FLOAT), ir.Local("y", type=FLOAT)
_ITEMS = ir.Local("items", type=ListOf(FLOAT))
_TEST = ir.Local("test", type=BOOL)
_HALF, _THREE = ir.Literal(0.5, type=FLOAT), ir.Literal(3, type=FLOAT)


def _builtin(name: str, *arguments: ir.Expression, kind: Type = FLOAT) -> ir.BuiltinCall:
    return ir.BuiltinCall(name, arguments, type=kind)


def _binary(operator: str, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    return ir.Binary(operator, left, right, type=FLOAT)


@pytest.mark.parametrize(
    ("node", "may"),
    [
        (_HALF, False),
        (_THREE, True),
        (_N, False),  # which is an int in C#, too
        (_X, False),
        (_Y, True),
        (ir.Convert(_N, type=FLOAT), True),
        (ir.Convert(ir.Local("ints", type=ListOf(INT)), type=ListOf(FLOAT)), True),
        (ir.Conditional(_TEST, _N, _HALF, type=FLOAT), True),
        (ir.Conditional(_TEST, _X, _HALF, type=FLOAT), False),
        (ir.Logical("or", (_X, _N), type=FLOAT), True),
        (ir.Unary("-", _Y, type=FLOAT), True),
        (_binary("+", _Y, _N), True),
        (_binary("+", _Y, _X), False),
        (_binary("/", _Y, _N), False),
        (_binary("**", _N, ir.Literal(-1, type=INT)), False),
        (_builtin("sum", _ITEMS), True),
        (_builtin("sum", _ITEMS, _HALF), False),
        (_builtin("float", _Y), False),
        (_builtin("math.sqrt", _N), False),
        (_builtin("max", _X, _N), True),
        (_builtin("max", _ITEMS), False),
        (_builtin("abs", _Y), True),
        (_builtin("round", _Y, _N), True),
        (ir.ListLiteral((_N, _HALF), type=ListOf(FLOAT)), True),
        (ir.ListLiteral((_X, ir.Spread(_ITEMS)), type=ListOf(FLOAT)), False),
        (ir.TupleLiteral((_N, _HALF), type=TupleOf((INT, FLOAT))), False),
        (ir.DictLiteral(((_N, _N),), type=DictOf(INT, FLOAT)), True),
        (ir.Item(_ITEMS, _N, type=FLOAT), False),
        (ir.Field("scale", type=FLOAT), False),
        (ir.ContainerCall(_ITEMS, "pop", (), type=FLOAT), False),
    ],
)
def test_expressions(node: ir.Expression, may: bool) -> None:
    assert may_be_int(node, {"y"}) is may


def _assign(name: str, value: ir.Expression, kind: Type = FLOAT) -> ir.Assign:
    return ir.Assign(ir.LocalTarget(name, kind), value)


@pytest.mark.parametrize(
    ("statements", "names"),
    [
        ((_assign("x", _HALF),), set()),
        ((_assign("x", _HALF), _assign("x", _N)), {"x"}),
        ((_assign("y", _X), _assign("x", _THREE)), {"x", "y"}),
        ((ir.Augment(ir.LocalTarget("x", FLOAT), "+", _N),), set()),
        ((_assign("x", _THREE), ir.Augment(ir.LocalTarget("x", FLOAT), "/", _N)), {"x"}),
        ((ir.Evaluate(ir.ContainerCall(_ITEMS, "append", (_N,), type=NONE)),), {"items"}),
        ((ir.Evaluate(ir.ContainerCall(_ITEMS, "append", (_X,), type=NONE)),), set()),
        ((ir.Assign(ir.PlaceTarget(ir.Item(_ITEMS, _N, type=FLOAT)), _THREE),), {"items"}),
        (
            (
                ir.Evaluate(ir.ContainerCall(_ITEMS, "insert", (_N, _builtin("sum", _ITEMS)), type=NONE)),
                ir.For(ir.LocalTarget("one", FLOAT), _ITEMS, ()),
            ),
            {"items", "one"},
        ),
        (
            (
                ir.Assign(
                    ir.TupleTarget((ir.LocalTarget("a", INT), ir.LocalTarget("b", FLOAT))),
                    ir.TupleLiteral((_N, _HALF), type=TupleOf((INT, FLOAT))),
                ),
            ),
            set(),
        ),
        (
            (
                ir.For(
                    ir.TupleTarget((ir.LocalTarget("i", INT), ir.LocalTarget("one", FLOAT))),
                    _builtin("enumerate", _ITEMS, kind=IteratorOf(TupleOf((INT, FLOAT)))),
                    (),
                ),
            ),
            set(),
        ),
    ],
)
def test_variables(statements: tuple[ir.Statement, ...], names: set[str]) -> None:
    assert int_names(ir.Function("f", (), STR, statements)) == names


@pytest.mark.parametrize(
    ("node", "may"),
    [
        (_THREE, False),
        (ir.Literal(0, type=FLOAT), True),
        (ir.Conditional(_TEST, ir.Literal(3, type=INT), _HALF, type=FLOAT), False),
        (ir.Conditional(_TEST, _N, _HALF, type=FLOAT), True),
        (_builtin("sum", _ITEMS), True),
    ],
)
def test_ints_that_may_be_zero(node: ir.Expression, may: bool) -> None:
    assert may_be_int(node, zero=True) is may
    assert int_names(ir.Function("f", (), STR, (_assign("x", node),)), zero=True) == ({"x"} if may else set())
