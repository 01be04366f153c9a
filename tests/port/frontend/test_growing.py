"""growing.py: tuples that grow in a loop."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Augment, Binary
from bridge.port.ir.types import TENSOR, ListOf, OptionalOf
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([[1.0, -2.0]])


def collected(x: torch.Tensor, count: int, keep: bool) -> Any:
    states: Any = (x,) if keep else None
    for _ in range(count):
        x = x * 2
        if keep:
            states = states + (x,)  # noqa: RUF005  # as much of the world's code is
    return states


def added(x: torch.Tensor, count: int) -> Any:
    states: tuple[torch.Tensor, ...] = ()
    first = states
    for _ in range(count):
        x = x + 1
        states += (x,)
    return len(first), states


def unpacked(x: torch.Tensor, count: int) -> Any:
    states: tuple[torch.Tensor, ...] = ()
    for _ in range(count):
        states = (*states, x * len(states))
    return states


def sizes(x: torch.Tensor, count: int) -> torch.Tensor:
    shape: tuple[int, ...] = (1,)
    for one in range(count):
        shape = shape + (one + 1,)  # noqa: RUF005  # as models do
    return x.new_ones(shape)


def told(x: torch.Tensor, count: int) -> Any:
    states: tuple[torch.Tensor, ...] = ()
    for _ in range(count):
        states = (*states, x)
    return isinstance(states, tuple)


def test_a_tuple_of_tensors_becomes_a_list() -> None:
    calls = ((T, 2, True), (T, 1, False))
    assert lower(collected, *calls).result == OptionalOf(ListOf(TENSOR))
    assert differences(collected, calls, ((T, 0, True), (T, 3, True))) == []


def test_a_tuple_that_is_unpacked_grows() -> None:
    assert lower(unpacked, (T, 2)).result == ListOf(TENSOR)
    assert differences(unpacked, ((T, 2),), ((T, 0), (T, 3))) == []


def test_it_is_never_changed_in_place() -> None:
    assert found(lower(added, (T, 2)), Augment) == []
    assert differences(added, ((T, 2),), ((T, 0), (T, 3))) == []


def test_a_tuple_of_ints_stays() -> None:
    assert not any(isinstance(one.type, ListOf) for one in found(lower(sizes, (T, 2)), Binary))


def test_a_tuple_that_is_asked_for_its_class_stays() -> None:
    with pytest.raises(Untranslatable, match="states is of one type or another here"):
        lower(told, (T, 1))
