"""ir/truths.py: tests whose truth literals and types decide, by Python's rules."""

from __future__ import annotations

import ast
from typing import Any, Final

import pytest

from bridge.port.ir import nodes
from bridge.port.ir.nodes import Expression
from bridge.port.ir.truths import truth
from bridge.port.ir.types import INT, SIZES, ListOf, SetOf
from tests.port.ir.building import compare, lit, var

_OPERATORS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.In: "in", ast.NotIn: "not-in", ast.Is: "is",
}  # fmt: skip


def node(found: ast.expr) -> Expression:
    """Return the IR of a literal."""
    if isinstance(found, ast.Constant):
        return lit(found.value)
    assert isinstance(found, (ast.List, ast.Tuple, ast.Set))
    items = tuple(map(node, found.elts))
    if isinstance(found, ast.Tuple):
        return nodes.TupleLiteral(items, type=SIZES)
    if isinstance(found, ast.Set):
        return nodes.SetLiteral(items, type=SetOf(INT))
    return nodes.ListLiteral(items, type=ListOf(INT))


@pytest.mark.parametrize(
    "text",
    [
        "{1, 2} == {2, 1}", "{2} < {1, 2}", "{1} != {1}", "[1] == (1,)", "[1, 2] == [1, 2]", "(1, 2) < (1, 3)", "[2, 1] == [1, 2]",
        "2 in {1, 2}", "(1,) in [(1,)]", "1 not in (1, 2)", "1 == 1.0", "'a' < 'b'", "None is None",
    ],
)  # fmt: skip
def test_a_comparison_of_literals_is_as_in_python(text: str) -> None:
    found: Any = ast.parse(text, mode="eval").body
    made = compare(_OPERATORS[type(found.ops[0])], node(found.left), node(found.comparators[0]))
    assert truth(made) is eval(text)


@pytest.mark.parametrize(
    "test",
    [
        compare("==", var("n"), lit(1)),
        compare("==", nodes.ListLiteral((var("n"),), type=ListOf(INT)), nodes.ListLiteral((lit(1),), type=ListOf(INT))),
        compare("<", lit("a"), lit(1)),
        compare("in", nodes.ListLiteral((lit(1),), type=ListOf(INT)), nodes.SetLiteral((lit(1),), type=SetOf(INT))),
        var("flag"),
    ],
)
def test_no_truth_is_known_of_variables_or_of_a_test_that_raises(test: Expression) -> None:
    assert truth(test) is None
