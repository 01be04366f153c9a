"""ranges.py: which numbers are proven not to be negative."""

from __future__ import annotations

import pytest
import torch

from bridge.port.ir import nodes as ir
from bridge.port.ir.ranges import is_nonnegative, is_positive, nonnegative_names
from bridge.port.ir.types import FLOAT, INT, NONE, SIZES, TENSOR, IteratorOf, ListOf, TupleOf, Type

_X = ir.Local("x", type=TENSOR)
_N, _M = (ir.Local(name, type=INT) for name in "nm")
_SHAPE = ir.Property(_X, "shape", type=SIZES)


def _lit(value: float) -> ir.Literal:
    return ir.Literal(value, type=INT if isinstance(value, int) else FLOAT)


def _binary(operator: str, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    return ir.Binary(operator, left, right, type=INT)


def _builtin(name: str, *arguments: ir.Expression, kind: Type = INT) -> ir.BuiltinCall:
    return ir.BuiltinCall(name, arguments, type=kind)


def _size(place: int) -> ir.Item:
    return ir.Item(_SHAPE, _lit(place), type=INT)


@pytest.mark.parametrize(
    ("node", "proven"),
    [
        (_lit(0), True),
        (_lit(-1), False),
        (_lit(0.5), True),
        (_N, False),
        (_size(-1), True),
        (ir.Item(ir.Slice(_SHAPE, _lit(1), None, type=SIZES), _lit(0), type=INT), True),
        (ir.Item(ir.Local("sizes", type=SIZES), _lit(0), type=INT), False),
        (ir.Item(ir.TupleLiteral((_size(0), _lit(-1)), type=SIZES), _lit(0), type=INT), False),
        (ir.TorchCall(torch.Tensor.size, _X, (ir.Argument("dim", _lit(0)),), type=INT), True),
        (ir.TorchCall(torch.Tensor.numel, _X, (), type=INT), True),
        (ir.TorchCall(torch.Tensor.item, _X, (), type=INT), False),
        (_builtin("len", ir.Local("items", type=ListOf(INT))), True),
        (_binary("+", _size(0), _lit(1)), True),
        (_binary("-", _size(0), _lit(1)), False),
        (_binary("-", _lit(2), _binary("%", _N, _lit(3))), True),
        (_binary("-", _lit(2), _binary("%", _N, _lit(4))), False),
        (_binary("-", _lit(2), _binary("%", _N, _lit(-3))), False),
        (_binary("-", _lit(2.5), _binary("%", _N, _lit(3))), False),
        (_binary("//", _size(0), _lit(2)), True),
        (_binary("//", _N, _lit(2)), False),
        (_binary("%", _N, _lit(2)), True),
        (_binary("%", _lit(2), _N), False),
        (_binary("&", _N, _lit(7)), True),
        (_binary("*", _size(0), ir.Unary("-", _lit(1), type=INT)), False),
        (_builtin("max", _N, _lit(0)), True),
        (_builtin("min", _N, _lit(0)), False),
        (_builtin("min", _size(0), _lit(4)), True),
        (_builtin("int", _binary("/", _size(0), _lit(2))), True),
        (ir.Conditional(ir.Local("p", type=INT), _lit(1), _N, type=INT), False),
        (ir.Binary("*", _X, _X, type=TENSOR), False),
    ],
)
def test_expressions(node: ir.Expression, proven: bool) -> None:
    assert is_nonnegative(node) == proven


def _assign(name: str, value: ir.Expression) -> ir.Assign:
    return ir.Assign(ir.LocalTarget(name, value.type), value)


def _names(*body: ir.Statement) -> frozenset[str]:
    return nonnegative_names(ir.Function("f", (ir.Parameter("given", INT),), NONE, body))


def test_a_variable_is_what_all_its_assignments_are() -> None:
    assert _names(_assign("n", _size(0)), _assign("n", _lit(3))) == {"n"}
    assert _names(_assign("n", _size(0)), _assign("n", _lit(-3))) == frozenset()
    assert _names(_assign("n", ir.Local("given", type=INT))) == frozenset(), "a parameter may be anything"


def test_variables_prove_each_other() -> None:
    halved = ir.While(ir.Local("p", type=INT), (_assign("n", _binary("//", _N, _lit(2))),))
    assert _names(_assign("n", _size(0)), halved, _assign("m", _N)) == {"n", "m"}
    falling = ir.Augment(ir.LocalTarget("n", INT), "-", _lit(1))
    assert _names(_assign("n", _size(0)), falling, _assign("m", _N)) == frozenset()


def test_targets_that_are_tuples() -> None:
    pair = ir.TupleTarget((ir.LocalTarget("n", INT), ir.LocalTarget("m", INT)))
    assert _names(ir.Assign(pair, _SHAPE)) == {"n", "m"}
    literal = ir.TupleLiteral((_lit(1), _lit(-1)), type=TupleOf((INT, INT)))
    assert _names(ir.Assign(pair, literal)) == {"n"}


@pytest.mark.parametrize(
    ("bounds", "proven"),
    [((_N,), True), ((_lit(0), _N), True), ((_lit(-1), _N), False), ((_N, _lit(-1), _lit(-1)), True), ((_N, _M, _lit(-1)), False)],
)  # fmt: skip
def test_the_variable_of_a_range(bounds: tuple[ir.Expression, ...], proven: bool) -> None:
    loop = ir.For(ir.LocalTarget("i", INT), _builtin("range", *bounds, kind=IteratorOf(INT)), ())
    assert _names(loop) == (frozenset("i") if proven else frozenset())


def test_loops_over_sizes_and_with_numbers() -> None:
    pair = ir.TupleTarget((ir.LocalTarget("i", INT), ir.LocalTarget("size", INT)))
    numbered = _builtin("enumerate", _SHAPE, kind=IteratorOf(TupleOf((INT, INT))))
    assert _names(ir.For(pair, numbered, ())) == {"i", "size"}
    both = _builtin("zip", ir.Local("items", type=ListOf(INT)), _SHAPE, kind=IteratorOf(TupleOf((INT, INT))))
    assert _names(ir.For(pair, both, ())) == {"size"}, "a list may hold anything"
    assert _names(ir.CountingLoop("i", _lit(0), _N, 1, ())) == {"i"}
    assert _names(ir.CountingLoop("i", _lit(0), _N, -1, ())) == frozenset()


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (_lit(2), True),
        (_lit(0), False),
        (_N, False),
        (_binary("+", _size(0), _lit(1)), True),
        (_binary("+", _N, _lit(1)), False),
        (_binary("*", _lit(2), _builtin("max", _N, _lit(1))), True),
        (_builtin("max", _N), False),
        (_builtin("math.sqrt", _size(0), kind=FLOAT), False),
        (_builtin("math.sqrt", _lit(2), kind=FLOAT), True),
    ],
)
def test_divisors_that_are_proven(node: ir.Expression, wanted: bool) -> None:
    assert is_positive(node) == wanted
