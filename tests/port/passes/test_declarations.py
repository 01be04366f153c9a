"""declarations.py: where variables are declared."""

from __future__ import annotations

from bridge.port.ir.nodes import (
    Assign,
    Bind,
    Comprehension,
    Evaluate,
    For,
    Generator,
    If,
    Item,
    LocalTarget,
    PlaceTarget,
    Truth,
    TupleTarget,
    While,
)
from bridge.port.ir.types import FLOAT, INT, NONE, TENSOR, ListOf, OptionalOf, TupleOf
from bridge.port.passes.declarations import declare
from tests.port.ir.building import back, compare, function, lines, lit, put, relu, var

X, N = var("x", TENSOR), var("n")
TEST = Truth(N)


def test_the_first_value_declares() -> None:
    assert lines(declare(function(put("y", relu(X)), put("y", relu(X)), put("x", X), back(X)))) == [
        "var y = x.relu()",
        "y = x.relu()",
        "x = x",
        "return x",
    ]


def test_a_variable_of_one_block_is_declared_there() -> None:
    assert lines(declare(function(If(TEST, (put("y", lit(1)),), (put("z", lit(2)),)), back(X)))) == [
        "if bool(n)",
        "  var y = 1",
        "else",
        "  var z = 2",
        "return x",
    ]


def test_a_variable_of_both_blocks_that_is_read_later_is_declared_above_without_a_value() -> None:
    branch = If(TEST, (put("y", lit(1)),), (put("y", lit(2.0)),))
    assert lines(declare(function(branch, back(var("y", FLOAT)))))[0] == "declare y: float"


def test_a_variable_of_one_branch_that_is_read_later_has_a_default() -> None:
    branch = If(TEST, (put("y", lit(1)),))
    assert lines(declare(function(branch, back(var("y")))))[0] == "declare y: int = default"


def test_none_and_a_tensor_are_an_optional() -> None:
    body = (put("y", lit(None), NONE), If(TEST, (put("y", X),)), back(var("y", OptionalOf(TENSOR))))
    made = declare(function(*body))
    assert isinstance(made.body[0], Assign)
    assert made.body[0].target == LocalTarget("y", OptionalOf(TENSOR), True)


def test_what_one_turn_leaves_to_the_next_is_declared_above() -> None:
    loop = While(TEST, (If(compare("is", var("y"), lit(1)), (back(X),)), put("y", lit(1))))
    assert lines(declare(function(loop)))[0] == "declare y: int = default"
    plain = While(TEST, (put("y", lit(1)), Evaluate(relu(var("y", TENSOR)))))
    assert lines(declare(function(plain)))[1] == "  var y = 1"


def test_a_walrus_is_declared_above_its_statement() -> None:
    test = Truth(Bind("y", N, type=INT))
    assert lines(declare(function(If(test, (back(var("y")),)), back(var("y"))))) == [
        "declare y: int",
        "if bool((y := n))",
        "  return y",
        "return y",
    ]


def test_what_is_bound_within_a_comprehension_or_a_place_is_declared_above() -> None:
    bound = Bind("y", N, type=INT)
    walked = Comprehension(bound, (Generator(LocalTarget("i", INT), var("items", ListOf(INT))),), type=ListOf(INT))
    assert lines(declare(function(Evaluate(walked))))[0] == "declare y: int"
    place = PlaceTarget(Item(var("items", ListOf(INT)), bound, type=INT))
    assert lines(declare(function(Assign(place, N))))[0] == "declare y: int"


def test_targets_of_tuples_and_loops() -> None:
    pair = TupleTarget((LocalTarget("a", INT), LocalTarget("x", TENSOR)))
    loop = For(LocalTarget("i", INT), var("items", ListOf(INT)), (put("k", var("i")),))
    assert lines(declare(function(Assign(pair, var("p", TupleOf((INT, TENSOR)))), loop))) == [
        "(var a, x) = p",
        "for var i in items",
        "  var k = i",
    ]
    after = lines(declare(function(loop, back(var("i")))))
    assert after[:2] == ["declare i: int = default", "for i in items"]
