"""unused.py: variables that nothing reads."""

from __future__ import annotations

from bridge.port.ir.nodes import Augment, Evaluate, LocalTarget
from bridge.port.ir.types import INT, TENSOR
from bridge.port.passes.unused import drop_unused
from tests.port.ir.building import back, function, lines, lit, op, put, relu, var

X = var("x", TENSOR)


def test_a_chain_of_unread_values_goes() -> None:
    assert lines(drop_unused(function(put("a", lit(1)), put("b", op("+", var("a"), lit(1))), back(X)))) == ["return x"]


def test_a_value_with_an_effect_stays() -> None:
    body = (put("a", relu(X)), Evaluate(op("//", var("n"), var("m"))), back(X))
    assert drop_unused(function(*body)) == function(*body)


def test_an_augmented_variable_is_read() -> None:
    body = (put("a", lit(1)), Augment(LocalTarget("a", INT), "+", lit(1)), back(X))
    assert drop_unused(function(*body)) == function(*body)
