"""bodies/rows.py: rows of expressions that create modules."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.port.csharp import tree
from bridge.port.csharp.bodies.rows import shorten
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text


def block(*values: Any, **named: Any) -> tree.New:
    """Return ``new Block(…)`` of literals and expressions."""
    arguments = [
        tree.Argument(value if isinstance(value, tree.Expression) else tree.Literal(value), name)
        for name, value in [*(("", value) for value in values), *named.items()]
    ]
    return tree.New(tree.Type("Block"), tuple(arguments))


def linear(*values: int) -> tree.Call:
    return tree.Call(tree.Name("Linear"), tuple(tree.Argument(tree.Literal(value)) for value in values))


def entry(name: str, value: tree.Expression) -> tree.Tuple:
    return tree.Tuple((tree.Literal(name), value))


def shown(*made: tree.Expression) -> str:
    lines = text(tree.Evaluate(tree.Collection(shorten(begin(), made)))).removesuffix(";")
    return " ".join(lines.split()).replace("[ ", "[").replace(" ]", "]").replace("( ", "(")


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ([block()] * 3, "[.. Enumerable.Range(0, 3).Select(_ => new Block())]"),
        ([block(i) for i in range(4)], "[.. Enumerable.Range(0, 4).Select(i => new Block(i))]"),
        ([block(i) for i in range(2, 6)], "[.. Enumerable.Range(2, 4).Select(i => new Block(i))]"),
        (
            [block(64 + 32 * i, 8) for i in range(4)],
            "[.. Enumerable.Range(0, 4).Select(i => new Block(64 + 32 * i, 8))]",
        ),
        ([block(9 - 3 * i) for i in range(4)], "[.. Enumerable.Range(0, 4).Select(i => new Block(9 - 3 * i))]"),
        (
            [entry(f"layer{i}", block(32 + 32 * i)) for i in range(1, 5)],
            '[.. Enumerable.Range(1, 4).Select(i => ($"layer{i}", new Block(32 + 32 * i)))]',
        ),
        (
            [block(2, rate=rate) for rate in (0.0, 0.1, 0.25, 0.3)],
            "[.. ((double[])[0.0, 0.1, 0.25, 0.3]).Select(rate => new Block(2, rate: rate))]",
        ),
        ([block(n, n) for n in (3, 5, 6, 9)], "[.. ((int[])[3, 5, 6, 9]).Select(value => new Block(value, value))]"),
        ([block(n) for n in (1, 2, 1, 2)], "[.. ((int[])[1, 2, 1, 2]).Select(value => new Block(value))]"),
        (
            [block(n, 2 * n + n % 2, rate=n / 8) for n in (1, 2, 5, 7)],
            "[.. (((int value, int value2, double rate)[])[(1, 3, 0.125), (2, 4, 0.25), (5, 11, 0.625), (7, 15, 0.875)])"
            ".Select(row => new Block(row.value, row.value2, rate: row.rate))]",
        ),
        (
            [block(n, rate=float(n)) for n in (1, 2, 5, 7)],
            "[.. (((int value, double rate)[])[(1, 1.0), (2, 2.0), (5, 5.0), (7, 7.0)])"
            ".Select(row => new Block(row.value, rate: row.rate))]",
        ),
        (
            [linear(*pair) for pair in ((1, 9), (2, 7), (3, 8), (4, 1))],
            "[.. (((int inputSize, int outputSize)[])[(1, 9), (2, 7), (3, 8), (4, 1)])"
            ".Select(row => Linear(row.inputSize, row.outputSize))]",
        ),
        (
            [entry(f"layer{i + 1}", block(n)) for i, n in enumerate((1, 4, 2, 8))],
            '[.. ((int[])[1, 4, 2, 8]).Select((value, i) => ($"layer{i + 1}", new Block(value)))]',
        ),
        (
            [block(n) for n in (1, 3, 4, 6, 7, 7, 7)],
            "[.. ((int[])[1, 3, 4, 6]).Select(value => new Block(value)), .. Enumerable.Range(0, 3).Select(_ => new Block(7))]",
        ),
        (
            [block(64, 2), *[block(128, 1)] * 5],
            "[new Block(64, 2), .. Enumerable.Range(0, 5).Select(_ => new Block(128, 1))]",
        ),
        (
            [*[block(i) for i in range(4)], block(True), *[block()] * 3],
            "[.. Enumerable.Range(0, 4).Select(i => new Block(i)), new Block(true), .. Enumerable.Range(0, 3).Select(_ => new Block())]",
        ),
        (
            [block(block(i)) for i in range(4)] + [block()],
            "[.. Enumerable.Range(0, 4).Select(i => new Block(new Block(i))), new Block()]",
        ),
    ],
)
def test_a_row_is_one_select(made: list[tree.Expression], wanted: str) -> None:
    assert shown(*made) == wanted


@pytest.mark.parametrize(
    "made",
    [
        [block()] * 2,
        [block(i) for i in range(3)],
        [block(value) for value in (1, 2.5, 3, 4.5)],
        [block(value) for value in (True, False, True, False)],
        [block(name) for name in ("a", "b", "c", "d")],
        [entry(name, block()) for name in ("a1", "a2", "b3", "b4")],
        [block(2**31 + i) for i in range(4)],
        [tree.Name("shared")] * 4,
    ],
)
def test_other_expressions_stand_by_themselves(made: list[tree.Expression]) -> None:
    assert ".. " not in shown(*made)


def test_a_row_within_a_row_has_a_parameter_of_its_own() -> None:
    emission = begin()
    inner = tree.Collection(shorten(emission, [block(n) for n in range(4)]))
    (row,) = shorten(
        emission,
        [tree.New(tree.Type("Stage"), (tree.Argument(inner), tree.Argument(tree.Literal(n)))) for n in range(4)],
    )
    assert "Range(0, 4).Select(i2 => new Stage([.. Enumerable.Range(0, 4).Select(i => new Block(i))], i2))" in text(
        tree.Evaluate(tree.Collection((row,)))
    ).replace("\n", "").replace("    ", "")
