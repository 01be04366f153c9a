# ruff: noqa: SIM108  # what is lowered is written as models are
"""statements/assignments.py: targets of all kinds, in place and not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Augment, TupleTarget
from tests.port.frontend.interpreter import run
from tests.port.frontend.lowering import differences, found, lower, lower_forward, same

T = torch.tensor([[1.0, -2.0], [3.0, 4.0]])


def swapped(items: list[int]) -> list[int]:
    items[0], items[-1] = items[-1], items[0]
    return items


def unpacked(x: torch.Tensor) -> torch.Tensor:
    n, *rest = x.shape
    a, (b, c) = 1, (2, rest[-1])
    return x * (a + b + c + n)


def chained(n: int) -> int:
    a = b = n + 1
    b += a
    return a * b


def rows(x: torch.Tensor) -> torch.Tensor:
    first, second = x
    return first - second


def written(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[0] = 0
    y[:, 1] += 2
    y[1] *= 3
    return y


def aliased(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    z = y
    y += 1
    z = z + 1
    return y + z


def divided(a: int, b: int) -> float:
    a //= b
    a %= 5
    c = a
    c /= 2
    return c


def counted(words: list[str]) -> dict[str, int]:
    counts = {}
    for one in words:
        if one not in counts:
            counts[one] = 0
        counts[one] += 1
    return counts


def shortened(items: list[int]) -> list[int]:
    del items[1]
    items += [9]
    return items


def retyped(x: torch.Tensor) -> torch.Tensor:
    shape = x
    shape = shape.shape
    b, c = shape
    return x.reshape(b * c)


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (swapped, [([1, 2, 3],)], [([4],), ([5, 6],)]),
        (unpacked, [(T,)], [(torch.ones(3, 5),)]),
        (chained, [(3,)], [(-2,)]),
        (rows, [(T,)], [(T * 2,)]),
        (written, [(T,)], [(torch.ones(2, 3),)]),
        (aliased, [(T,)], [(T * 2,)]),
        (divided, [(7, 2)], [(-7, 2), (7, -2)]),
        (counted, [(["a", "b", "a"],)], [([],), (["c", "c"],)]),
        (shortened, [([1, 2, 3],)], [([1],), ([4, 5],)]),
        (retyped, [(T,)], [(torch.ones(3, 5),)]),
    ],
)
def test_assignments_mean_what_they_mean_in_python(function: Callable[..., Any], seen: Any, tried: Any) -> None:
    assert differences(function, tuple(seen), tuple(tried)) == []


def test_a_star_has_its_place() -> None:
    assert [one.star for one in found(lower(unpacked, (T,)), TupleTarget)] == [1, -1, -1]


def test_a_tensor_is_changed_in_place() -> None:
    assert [one.operator for one in found(lower(aliased, (T,)), Augment)] == ["+"]


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = 0
        self.register_buffer("last", torch.zeros(2, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.steps += 1
        self.last = x * 2
        return self.last * self.steps


def test_fields_are_assigned() -> None:
    made = lower_forward(Counter(), x=T)
    model, other = Counter(), Counter()
    for _ in range(2):
        assert same(model(T), run(made, T, module=other))
    assert other.steps == 2


def several(x: torch.Tensor, n: int) -> Any:
    if n > 1:
        y = x
    else:
        y = (x, x)
    return y


def test_a_variable_of_no_one_type_is_refused_where_it_is_read() -> None:
    with pytest.raises(Untranslatable, match="y is of one type or another"):
        lower(several, (T, 1), (T, 2))
