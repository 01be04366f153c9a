"""initial_values.py: what is equal, drawn alike, and different."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from bridge.port.verify.initial_values import InitialValues, compare_initial_values


def compared(first: Callable[[], torch.Tensor], second: Callable[[], torch.Tensor]) -> InitialValues:
    """Compare two models, each with a buffer of these values after a linear layer."""

    def make(value: Callable[[], torch.Tensor]) -> nn.Module:
        model = nn.Linear(2, 2)
        model.register_buffer("value", value())
        return model

    return compare_initial_values(lambda: make(first), lambda: make(second))


def drawn(mean: float = 0.0, spread: float = 1.0, count: int = 5000) -> Callable[[], torch.Tensor]:
    return lambda: torch.randn(count) * spread + mean


def test_values_by_the_same_seed_are_equal() -> None:
    state = torch.get_rng_state()
    found = compared(drawn(), drawn())
    assert (found.equal, found.alike, found.difference) == (3, 0, "")
    assert str(found) == "Initial values by one seed: 3 of 3 tensors equal."
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(
    "other",
    [
        lambda: torch.randn(5001)[1:],
        lambda: nn.init.uniform_(torch.empty(5000), -(3**0.5), 3**0.5),
    ],
)
def test_values_of_near_mean_and_deviation_are_drawn_alike(other: Callable[[], torch.Tensor]) -> None:
    found = compared(drawn(), other)
    assert (found.equal, found.alike, found.different) == (2, 1, ())
    assert str(found) == "Initial values by one seed: 2 of 3 tensors equal, 1 of the same distribution."


@pytest.mark.parametrize(
    "other",
    [
        drawn(0.2),
        drawn(spread=1.1),
        lambda: torch.zeros(5000),
        lambda: torch.linspace(-1.7, 1.7, 5000),
        drawn(count=4999),
    ],
)
def test_others_differ(other: Callable[[], torch.Tensor]) -> None:
    for found in (compared(drawn(), other), compared(other, drawn())):
        assert (found.equal, found.alike, len(found.different)) == (2, 0, 1)
        assert found.difference.startswith("value is on average ")


def test_a_table_that_is_computed_may_be_rounded_and_not_reordered() -> None:
    table = torch.linspace(0, 1, 50)
    assert compared(lambda: table, lambda: table + 1e-8).equal == 3
    assert len(compared(lambda: table, lambda: table.flip(0)).different) == 1


def test_few_numbers_differ_only_if_one_side_is_fixed() -> None:
    assert compared(drawn(count=2), lambda: torch.rand(2)).alike == 1
    assert len(compared(drawn(count=2), lambda: torch.zeros(2)).different) == 1


def test_the_first_differences_are_listed() -> None:
    found = InitialValues(1, 0, tuple(f"w{number} is on average 1" for number in range(7)))
    lines = str(found).splitlines()
    assert lines[0] == "Initial values by one seed: 1 of 8 tensors equal, 7 differ:"
    assert lines[1:] == [*(f"  w{number} is on average 1" for number in range(5)), "  … and 2 more"]
