"""guards.py: what throws within a value throws before the statement."""

from __future__ import annotations

from types import FunctionType

from bridge.port.ir.nodes import Compare, Conditional, Expression, FunctionCall, UnsupportedValue
from bridge.port.ir.types import BOOL, TENSOR, OptionalOf
from bridge.port.passes.guards import hoist
from tests.port.ir.building import back, function, lines, lit, put, relu, var

X = var("x", TENSOR)
TEST = Compare("is", var("mask", OptionalOf(TENSOR)), lit(None), type=BOOL)


def attend(x: int) -> int:
    return x


def guarded(value: Expression) -> Conditional:
    return Conditional(TEST, value, UnsupportedValue("a mask", type=TENSOR), type=TENSOR)


def test_a_guarded_call_follows_the_tests_of_its_arguments() -> None:
    assert isinstance(attend, FunctionType)
    call = FunctionCall(attend, (), type=TENSOR)
    made = lines(hoist(function(put("y", guarded(guarded(call))), back(var("y", TENSOR)))))
    assert made == [
        "if not (mask is None)",
        "  Unsupported",
        "if not (mask is None)",
        "  Unsupported",
        "y = FunctionCall",
        "return y",
    ]


def test_another_value_stays() -> None:
    body = (put("y", guarded(relu(X))), back(var("y", TENSOR)))
    assert hoist(function(*body)) == function(*body)
