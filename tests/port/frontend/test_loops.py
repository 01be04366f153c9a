# ruff: noqa: F821, F841, SIM108  # what is lowered is written as models are
"""statements/loops.py: for, while, their else, and what is left of the variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge.port.ir.nodes import For
from bridge.port.ir.types import FLOAT
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([1.0, -2.0])


def last_index(n: int) -> int:
    i = -1
    for i in range(n):
        if i == 4:
            break
    return i


def while_else(n: int) -> int:
    total = 0
    while n > 0:
        if n == 3:
            break
        total += n
        n -= 1
    else:
        total = -total
    return total


def for_else(names: list[int], wanted: int) -> int:
    for place, one in enumerate(names):
        if one == wanted:
            found = place
            break
    else:
        found = -1
    return found


def growing(n: int) -> list[int]:
    items = [n]
    for one in items:
        if one > 0:
            items.append(one - 1)
    return items


def changed_bound(n: int) -> int:
    total = 0
    for i in range(n):
        n = n + 1
        total += i
    return total + n


def previous(n: int) -> int:
    total = 0
    for i in range(n):
        if i > 0:
            total += last
        last = i * 2
    return total


def halves(n: int) -> float:
    value = 1
    for _ in range(n):
        value = value / 2
    return value


def endless(n: int) -> int:
    while True:
        n = n * 2
        if n % 3 == 1:
            continue
        if n > 100:
            break
    return n


def sums(parts: list[torch.Tensor]) -> torch.Tensor:
    loss = 0.0
    for one in parts:
        loss = loss + one.sum()
    return loss


def in_place_sums(parts: list[torch.Tensor]) -> torch.Tensor:
    loss = 0
    for one in parts:
        loss += one
    return loss / len(parts)


def outputs(x: torch.Tensor, n: int) -> torch.Tensor:
    rows = []
    for i in range(n):
        rows.append(x * i)
    return torch.stack(rows)


def carried(x: torch.Tensor, n: int) -> torch.Tensor:
    state = None
    for _ in range(n):
        if state is None:
            state = x
        else:
            state = state * x
    if state is None:
        return x - 1
    return state


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (last_index, [(3,)], [(9,), (0,)]),
        (while_else, [(2,)], [(5,), (0,)]),
        (for_else, [([1, 2], 2)], [([1, 2], 3), ([], 1)]),
        (growing, [(3,)], [(0,), (5,)]),
        (changed_bound, [(3,)], [(5,)]),
        (previous, [(4,)], [(1,), (0,)]),
        (halves, [(2,)], [(3,)]),
        (endless, [(2,)], [(3,), (50,)]),
        (sums, [([T, T],)], [([T.double()],), ([T.half(), T.half()],)]),
        (in_place_sums, [([T, T],)], [([T.double()],), ([T.long(), T.long()],)]),
        (outputs, [(T, 2)], [(T, 3)]),
        (carried, [(T, 2)], [(T, 1), (T, 0)]),
    ],
)
def test_loops_mean_what_they_mean_in_python(function: Callable[..., Any], seen: Any, tried: Any) -> None:
    assert differences(function, tuple(seen), tuple(tried)) == []


def test_a_number_that_becomes_a_float_in_a_loop_is_one_variable() -> None:
    made = lower(halves, (2,))
    (loop,) = found(made, For)
    assert loop.body[0].target.type == FLOAT
    assert loop.body[0].target.name == "value"
