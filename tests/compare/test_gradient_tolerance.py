"""Which gradients count as equal: what the order of sums explains, by module."""

from __future__ import annotations

import torch

from bridge.compare.gradient_tolerance import ROUNDINGS, rounded, roundings

EPS = torch.finfo(torch.float32).eps


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
    assert roundings(a, b) == {
        "input x": ROUNDINGS * EPS * 3,
        "a.weight": ROUNDINGS * EPS * 8,
        "a.bias": ROUNDINGS * EPS * 8,
    }


def test_what_is_not_finite_or_empty_does_not_count() -> None:
    a = {"a.weight": torch.tensor([torch.inf, torch.nan, 2.0]), "b.weight": torch.ones(0)}
    assert roundings(a, a) == {"a.weight": ROUNDINGS * EPS * 2, "b.weight": 0.0}


def test_another_dtype_has_another_precision() -> None:
    a = {"a.weight": torch.ones(1, dtype=torch.float64)}
    assert roundings(a, a)["a.weight"] == ROUNDINGS * torch.finfo(torch.float64).eps
    assert "(5.68e-14 for float64)" in rounded(a)
