"""bridge/compare/tensor_comparison.py: tensors by name, and what explains a running statistic."""

from __future__ import annotations

import math

import pytest
import torch

from bridge.compare.tensor_comparison import compare_named, momentum_words

SIDES = ("pytorch", "dotnet")


def test_equal_within_the_tolerance() -> None:
    a, b = {"w": torch.tensor([1.0, math.nan])}, {"w": torch.tensor([1.25, math.nan])}
    assert compare_named("gradient", a, b, SIDES, allowed=lambda _: (0.0, 0.25)) == ([], 0.25)
    found, largest = compare_named("gradient", a, b, SIDES, allowed=lambda _: (0.0, 0.2))
    assert [str(one) for one in found] == ["the gradient of w differs by up to 0.25 (relative 0.2) in 1 of 2 numbers."]
    assert largest == found[0].absolute == 0.25


def test_what_one_side_lacks_or_has_otherwise() -> None:
    one = torch.ones(2)
    a = {"both": None, "left": one, "none": one, "shape": one, "dtype": one}
    b = {"both": None, "none": None, "shape": torch.ones(3), "dtype": one.double(), "right": one}
    found, _ = compare_named("gradient", a, b, SIDES)
    assert [(item.name, item.message.partition(": ")[2]) for item in found] == [
        ("left", "present in pytorch, missing in dotnet."),
        ("none", "present in pytorch, missing in dotnet."),
        ("shape", "float32[2] in pytorch, float32[3] in dotnet."),
        ("dtype", "float32[2] in pytorch, float64[2] in dotnet."),
        ("right", "present in dotnet, missing in pytorch."),
    ]
    assert all(math.isinf(item.absolute) for item in found)


@pytest.mark.parametrize("momentum", [0.01, 0.2, 1.0])
def test_another_momentum(momentum: float) -> None:
    before, batch = torch.zeros(8), torch.randn(8, generator=torch.Generator().manual_seed(1))
    norms = []
    for one in (0.1, momentum):
        norms.append((1 - one) * before + one * batch)
    words = momentum_words("block.norm.running_mean", 0.1, before, *norms, SIDES)
    assert f"as with a momentum of {momentum:.4g} for block.norm in place of 0.1." in words


def test_no_update_on_one_side() -> None:
    words = momentum_words("norm.running_mean", 0.1, torch.zeros(2), torch.ones(2), torch.zeros(2), SIDES)
    assert words == " It was updated in pytorch and not in dotnet: was norm in train mode there?"


def test_other_inputs_are_not_taken_for_another_momentum() -> None:
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0])
    assert momentum_words("norm.running_mean", 0.1, torch.zeros(2), a, b, SIDES) == ""
    assert momentum_words("norm.running_mean", 0.1, torch.zeros(2), a, a * (1 + 1e-5), SIDES) == ""
