"""sizes.py: numbers computed from sizes keep their expression, and what makes plain values of them is noted (issue 43, section 2)."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
import torch

from bridge.port.graphs.sizes import Real, Size, plain, tracked


class Notes:
    """A record that keeps the lines of escapes."""

    def __init__(self) -> None:
        self.lines: list[int] = []

    def note(self, node: ast.expr, value: Any) -> ast.expr:
        return node

    def escape(self, frame: FrameType) -> None:
        self.lines.append(frame.f_lineno)


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def n(notes: Notes) -> Any:
    return tracked(6, notes, ast.Name("n", ast.Load()))


@pytest.mark.parametrize(
    ("compute", "text", "value"),
    [
        (lambda n: (n + 1) * n - 2, "(n + 1) * n - 2", 40),
        (lambda n: 7 // n % 4, "7 // n % 4", 1),
        (lambda n: n / 4, "n / 4", 1.5),
        (lambda n: 1 / n, "1 / n", 1 / 6),
        (lambda n: 2.0 * (n / 4), "2.0 * (n / 4)", 3.0),
        (lambda n: 2 * n**-0.5, "2 * n ** -0.5", 2 / math.sqrt(6)),
        (lambda n: -n + 0.5, "-n + 0.5", -5.5),
        (lambda n: n / n * 3.0, "n / n * 3.0", 3.0),
    ],
)
def test_arithmetic_keeps_the_expression(
    compute: Callable[[Any], Any], text: str, value: float, n: Any, notes: Notes
) -> None:
    made = compute(n)
    assert ast.unparse(ast.fix_missing_locations(ast.Expression(made.node))) == text
    assert plain(made) == pytest.approx(value)
    assert type(made) is (Size if isinstance(value, int) else Real)
    assert notes.lines == []


@functools.lru_cache
def doubled(n: int) -> int:
    return 2 * n


@pytest.mark.parametrize(
    ("compute", "value"),
    [
        (lambda n: n == 6, True),
        (lambda n: n in (1, 2), False),
        (lambda n: n < 7, True),
        (lambda n: int(n / 4), 1),
        (lambda n: max(n, 3), 6),
        (lambda n: math.sqrt(n), math.sqrt(6)),
        (lambda n: math.ceil(n / 4), 2),
        (lambda n: round(n / 4), 2),
        (lambda n: {6: "six"}[n], "six"),
        (lambda n: doubled(n), 12),
        (lambda n: "much" if n else "none", "much"),
        (lambda n: n + True, 7),
    ],
)
def test_what_makes_a_plain_value_is_noted(compute: Callable[[Any], Any], value: Any, n: Any, notes: Notes) -> None:
    made = compute(n)
    assert notes.lines
    assert plain(made) == value


def test_plain_values_are_found_in_collections(n: Any) -> None:
    made = plain(([n, 2], {"a": n / 4}, slice(n)))
    assert made == ([6, 2], {"a": 1.5}, slice(6))
    assert type(made[0][0]) is int
    assert type(made[1]["a"]) is float
    sizes = plain(torch.Size([n, 2]))
    assert type(sizes) is torch.Size
    assert type(sizes[0]) is int
    same = [1, (2, 3)]
    assert plain(same) is same
