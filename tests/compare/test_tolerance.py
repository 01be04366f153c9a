"""bridge/compare/tolerance.py: the smallest tolerance passes and a smaller one does not; rounding errors of gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from bridge.compare.tensor_comparison import NamedDifference
from bridge.compare.tolerance import (
    ROUNDINGS,
    Tolerance,
    describe_roundings,
    round_up,
    rounding_errors,
    smallest_tolerance,
)
from bridge.trace import Event, Trace, Value, digest
from bridge.trace.diff import diff

EPS = torch.finfo(torch.float32).eps


def _trace(runtime: str, *numbers: float) -> Trace:
    data = np.array(numbers)
    return Trace(
        runtime,
        [
            Event(
                0,
                "fc",
                "Linear",
                "forward",
                0,
                -1,
                values=(Value("tensor", data.shape, "float64", "cpu", digest(data), data=data),),
            )
        ],
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_suggested_tolerance_passes_and_one_percent_less_does_not(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=50) * 10.0 ** random.integers(-8, 8)
    y = x * (1 + random.normal(size=50) * 1e-5)
    found = smallest_tolerance(diff(_trace("a", *x), _trace("b", *y)))
    assert found.atol is not None
    assert found.rtol is not None
    for option, number in (("atol", found.atol), ("rtol", found.rtol)):
        assert diff(_trace("a", *x), _trace("b", *y), **{option: number}).same
        assert not diff(_trace("a", *x), _trace("b", *y), **{option: number * 0.985}).same


def test_not_a_number_has_no_tolerance() -> None:
    found = smallest_tolerance(diff(_trace("a", 1.0, math.nan), _trace("b", 1.0, 2.0)))
    assert found == Tolerance(None, None)
    assert str(found) == "no tolerance lets the values pass"


def test_another_shape_has_no_tolerance() -> None:
    assert smallest_tolerance(diff(_trace("a", 1.0), _trace("b", 1.0, 2.0))) == Tolerance(None, None)


def test_gradients_count_too() -> None:
    exact = diff(_trace("a", 1.0), _trace("b", 1.0))
    assert smallest_tolerance(exact, [NamedDifference("gradient", "w", "", 0.5, 0.25)]) == Tolerance(0.5, 0.25)
    assert str(Tolerance(0.5, 0.25)) == "--atol 0.5 or --rtol 0.25"


def test_rounding_never_goes_down() -> None:
    for number in (1.0, 0.1, 1.2341, 9.999, 1e-30, 123456.0, 0.0):
        assert number <= round_up(number) <= number * 1.01


def test_by_the_largest_of_the_module_on_either_side() -> None:
    """A bias in front of a norm has no gradient but errors, of the size of the weight's."""
    a = {
        "input x": torch.ones(2),
        "a.weight": torch.tensor([2.0, -8.0]),
        "a.bias": torch.tensor([1e-9]),
        "b.weight": None,
    }
    b = {
        "input x": torch.ones(2) * 3,
        "a.weight": torch.tensor([2.0, -8.0]),
        "a.bias": torch.tensor([-1e-9]),
        "b.weight": None,
    }
    assert rounding_errors(a, b) == {
        "input x": ROUNDINGS * EPS * 3,
        "a.weight": ROUNDINGS * EPS * 8,
        "a.bias": ROUNDINGS * EPS * 8,
    }


def test_nonfinite_and_empty_gradients_are_ignored() -> None:
    a = {"a.weight": torch.tensor([torch.inf, torch.nan, 2.0]), "b.weight": torch.ones(0)}
    assert rounding_errors(a, a) == {"a.weight": ROUNDINGS * EPS * 2, "b.weight": 0.0}


def test_another_dtype_has_another_precision() -> None:
    a = {"a.weight": torch.ones(1, dtype=torch.float64)}
    assert rounding_errors(a, a)["a.weight"] == ROUNDINGS * torch.finfo(torch.float64).eps
    assert "5.68e-14 (float64) times" in describe_roundings(a)
