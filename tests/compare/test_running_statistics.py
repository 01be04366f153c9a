"""bridge/compare/running_statistics.py: explanations of differing running statistics."""

from __future__ import annotations

import pytest
import torch

from bridge.compare.running_statistics import explain_changes

SIDES = ("pytorch", "dotnet")


@pytest.mark.parametrize("momentum", [0.01, 0.2, 1.0])
def test_another_momentum(momentum: float) -> None:
    before, batch = torch.zeros(8), torch.randn(8, generator=torch.Generator().manual_seed(1))
    norms = [(1 - factor) * before + factor * batch for factor in (0.1, momentum)]
    words = explain_changes("block.norm.running_mean", 0.1, before, *norms, SIDES)
    assert f"as with a momentum of {momentum:.4g} for block.norm in place of 0.1." in words


def test_no_update_on_one_side() -> None:
    words = explain_changes("norm.running_mean", 0.1, torch.zeros(2), torch.ones(2), torch.zeros(2), SIDES)
    assert words == " It was updated in pytorch and not in dotnet: was norm in train mode in dotnet?"


def test_other_inputs_are_not_taken_for_another_momentum() -> None:
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0])
    assert explain_changes("norm.running_mean", 0.1, torch.zeros(2), a, b, SIDES) == ""
    assert explain_changes("norm.running_mean", 0.1, torch.zeros(2), a, a * (1 + 1e-5), SIDES) == ""
