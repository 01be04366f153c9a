"""naming.py: names of C#."""

from __future__ import annotations

from bridge.port.ir.nodes import CountingLoop
from bridge.port.ir.types import FLOAT, INT, TENSOR, ListOf
from bridge.port.passes.naming import rename
from tests.port.ir.building import back, function, lines, lit, op, put, var


def test_names_that_mean_something_in_csharp() -> None:
    body = (put("out", var("in", TENSOR), TENSOR), back(var("out", TENSOR)))
    made = rename(function(*body, parameters={"in": TENSOR}))
    assert lines(made) == ["output = input", "return output"]
    assert made.parameters[0].name == "input"


def test_a_better_name_that_another_variable_has() -> None:
    """Wrong in silence otherwise: two variables would be one."""
    body = (put("out", lit(1)), put("output", lit(2)), back(op("+", var("out"), var("output"))))
    assert lines(rename(function(*body))) == ["output2 = 1", "output = 2", "return (output2 + output)"]


def test_names_of_classes_that_methods_call() -> None:
    body = (put("F", lit(1)), put("Math", lit(2)), put("f", lit(3)), back(op("+", var("F"), var("Math"))))
    assert lines(rename(function(*body))) == ["f2 = 1", "math = 2", "f = 3", "return (f2 + math)"]


def test_a_variable_of_another_type_is_named_by_it() -> None:
    body = (
        put("x#1", var("x", TENSOR), ListOf(TENSOR)),
        put("x#2", lit(1)),
        put("stop#1", op("+", var("x#2"), lit(1))),
        put("xList", lit(2.0), FLOAT),
    )
    assert lines(rename(function(*body))) == ["xList2 = x", "xNumber = 1", "stop = (xNumber + 1)", "xList = 2.0"]


def test_names_that_are_taken() -> None:
    body = (put("stop#1", lit(1)), back(var("stop#1", INT)))
    assert lines(rename(function(*body), frozenset({"stop"}))) == ["stopNumber = 1", "return stopNumber"]


def test_a_variable_that_only_counts_has_a_letter() -> None:
    turns = CountingLoop("_", lit(0), lit(3), 1, (put("i", lit(1)),))
    assert lines(rename(function(turns))) == ["count j from 0 to 3 by 1", "  i = 1"]
    assert "_ = 2" in lines(rename(function(turns, put("_", lit(2)))))
