"""unused.py: variables that nothing reads."""

from __future__ import annotations

from dataclasses import replace

from bridge.port.ir.nodes import Augment, Compare, Evaluate, If, LocalTarget
from bridge.port.ir.types import BOOL, INT, TENSOR
from bridge.port.passes.unused import drop_unused
from tests.port.ir.building import back, function, lines, lit, op, put, relu, var

X = var("x", TENSOR)


def test_a_chain_of_unread_values_goes() -> None:
    assert lines(drop_unused(function(put("a", lit(1)), put("b", op("+", var("a"), lit(1))), back(X)))) == ["return x"]


def test_an_assignment_of_a_variable_to_itself_goes() -> None:
    body = (put("a", lit(1)), put("a", var("a")), back(var("a")))
    assert lines(drop_unused(function(*body))) == ["a = 1", "return a"]


def test_a_value_with_an_effect_stays() -> None:
    body = (put("a", relu(X)), Evaluate(op("//", var("n"), var("m"))), back(X))
    assert drop_unused(function(*body)) == function(*body)


def test_a_branch_that_does_nothing_goes_if_its_test_has_no_effect() -> None:
    nothing = If(Compare("==", var("n"), lit(1), type=BOOL), (put("a", lit(1)),))
    assert lines(drop_unused(function(nothing, back(X)))) == ["return x"]
    asked = replace(nothing, test=Compare("==", op("//", var("n"), var("m")), lit(1), type=BOOL))
    assert "if" in " ".join(lines(drop_unused(function(asked, back(X)))))


def test_an_augmented_variable_is_read() -> None:
    body = (put("a", lit(1)), Augment(LocalTarget("a", INT), "+", lit(1)), back(X))
    assert drop_unused(function(*body)) == function(*body)
