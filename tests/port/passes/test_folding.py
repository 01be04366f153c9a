"""folding.py: what is decided is a literal, and nothing else is."""

from __future__ import annotations

import pytest
import torch

from bridge.port.ir.nodes import (
    BuiltinCall,
    Conditional,
    Convert,
    Expression,
    Logical,
    Not,
    Truth,
    TupleItem,
    TupleLiteral,
)
from bridge.port.ir.types import BOOL, FLOAT, INT, TENSOR, UNKNOWN, ModuleOf, OptionalOf, TupleOf
from bridge.port.passes.folding import fold
from tests.port.ir.building import compare, field, lit, op, relu, shown, var

X = var("x", TENSOR)
MAYBE = var("m", OptionalOf(TENSOR))


def logical(operator: str, *values: Expression) -> Logical:
    return Logical(operator, values, type=BOOL)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (op("//", lit(-7), lit(2)), "-4"),
        (op("%", lit(-7), lit(3)), "2"),
        (op("/", lit(7), lit(2), FLOAT), "3.5"),
        (op("/", lit(7), lit(0), FLOAT), "(7 / 0)"),
        (op("**", lit(2), lit(64)), "(2 ** 64)"),  # no long
        (op("*", var("n"), lit(1)), "n"),
        (op("*", lit(1), var("n")), "n"),
        (op("*", X, lit(1)), "(x * 1)"),  # a tensor of bools becomes one of integers
        (op("*", var("n"), lit(1, "expansion")), "(n * 1)"),
        (op("+", lit(7, "hidden"), lit(1)), "(7 + 1)"),  # a named constant keeps its name
        (compare("<", lit(1), lit(2)), "True"),
        (compare("<", lit(1), lit("a")), "(1 < 'a')"),
        (compare("is", X, lit(None)), "False"),
        (compare("is-not", X, lit(None)), "True"),
        (compare("is-not", MAYBE, lit(None)), "(m is-not None)"),
        (
            compare("is-not", Convert(lit(None), type=OptionalOf(TENSOR)), lit(None)),
            "False",
        ),  # what a parameter always is
        (compare("not-in", lit("c"), TupleLiteral((lit("a"), lit("b")), type=TupleOf(()))), "True"),
        (compare("is", relu(X), lit(None)), "(x.relu() is None)"),  # the call happens
        (compare("in", lit("a"), TupleLiteral((lit("a"), lit("b")), type=TupleOf(()))), "True"),
        (compare("in", lit("a"), TupleLiteral((lit("b"), var("c")), type=TupleOf(()))), "('a' in TupleLiteral)"),
        (Truth(lit(0)), "False"),
        (Truth(var("b", BOOL)), "b"),
        (Truth(field("fc", ModuleOf(torch.nn.Linear))), "True"),
        (Truth(field("blocks", ModuleOf(torch.nn.ModuleList))), "bool(self.blocks)"),
        (Not(Not(var("b", BOOL))), "b"),
        (logical("and", lit(True), var("b", BOOL)), "b"),
        (logical("and", var("b", BOOL), lit(True)), "b"),
        (logical("and", var("b", BOOL), lit(False)), "False"),
        (logical("and", Truth(X), lit(False)), "(bool(x) and False)"),  # the truth of a tensor may raise
        (logical("or", lit(False), lit(False)), "False"),
        (logical("or", lit(True), Truth(X)), "True"),
        (Logical("or", (lit(0), lit(5)), type=INT), "5"),
        (Logical("and", (lit(0), var("n")), type=INT), "0"),
        (TupleItem(TupleLiteral((var("a"), lit(2)), type=TupleOf((INT, INT))), 1, type=INT), "2"),
        (
            TupleItem(TupleLiteral((relu(X), lit(2)), type=TupleOf((TENSOR, INT))), 1, type=INT),
            "TupleItem",
        ),  # it may raise
        (TupleItem(BuiltinCall("divmod", (var("a"), var("b")), type=UNKNOWN), 1, type=INT), "(a % b)"),
        (TupleItem(BuiltinCall("divmod", (lit(-7), lit(2)), type=UNKNOWN), 0, type=INT), "-4"),
        (Conditional(lit(True), var("a"), var("b"), type=INT), "a"),
        (Conditional(var("c", BOOL), var("a"), var("b"), type=INT), "(a if c else b)"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_fold(node: Expression, expected: str) -> None:
    assert shown(fold(node)) == expected
