"""bridge/compare/tensor_comparison.py: the comparison of tensors by name."""

from __future__ import annotations

import math

import torch

from bridge.compare.tensor_comparison import compare_named

SIDES = ("pytorch", "dotnet")


def test_equal_within_the_tolerance() -> None:
    a, b = {"w": torch.tensor([1.0, math.nan])}, {"w": torch.tensor([1.25, math.nan])}
    assert compare_named("gradient", a, b, SIDES, allowed=lambda _: (0.0, 0.25)) == ([], 0.25)
    found, largest = compare_named("gradient", a, b, SIDES, allowed=lambda _: (0.0, 0.2))
    assert [str(difference) for difference in found] == [
        "the gradient of w differs by up to 0.25 (relative 0.2) in 1 of 2 numbers."
    ]
    assert largest == found[0].absolute == 0.25


def test_missing_tensors_and_other_forms() -> None:
    ones = torch.ones(2)
    a = {"both": None, "left": ones, "none": ones, "shape": ones, "dtype": ones}
    b = {"both": None, "none": None, "shape": torch.ones(3), "dtype": ones.double(), "right": ones}
    found, _ = compare_named("gradient", a, b, SIDES)
    assert [(item.name, item.message.partition(": ")[2]) for item in found] == [
        ("left", "present in pytorch, missing in dotnet."),
        ("none", "present in pytorch, missing in dotnet."),
        ("shape", "float32[2] in pytorch, float32[3] in dotnet."),
        ("dtype", "float32[2] in pytorch, float64[2] in dotnet."),
        ("right", "present in dotnet, missing in pytorch."),
    ]
    assert all(math.isinf(item.absolute) for item in found)
