"""ties.py: parameters that are one at several places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.errors import Unwritable
from bridge.port.observe.modules import is_own
from bridge.port.observe.ties import find_ties
from bridge.port.porting import Port

X = torch.rand(2, 3, 4)


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x: torch.Tensor) -> Any:
        return self.layers(x)


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.head = Inner(), nn.Linear(4, 4)
        self.head.weight = self.inner.layers[0].weight  # type: ignore[assignment]  # an nn.Module's attribute

    def forward(self, x: torch.Tensor) -> Any:
        return self.head(self.inner(x))


class Own(nn.Module):
    def __init__(self, weight: nn.Parameter) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


class Both(nn.Module):
    def __init__(self, weight: nn.Parameter) -> None:
        super().__init__()
        self.first: nn.Module = Own(weight)
        self.second = Own(weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.first(x) + self.second(x)


def test_the_innermost_class_that_has_both_ties_them(ported: Callable[..., Port]) -> None:
    files = ported(Outer, X).files
    assert "head.weight = ((Linear)inner.layers[0]).weight;" in files["Outer.cs"]
    assert "internal readonly Sequential layers;" in files["Inner.cs"]
    assert "private readonly Inner inner;" in files["Outer.cs"]


def test_parameters_of_own_classes_are_replaced() -> None:
    weight = nn.Parameter(torch.ones(4))
    found = find_ties(Both(weight), is_own)
    assert found.within == {Both: (("first.weight", "second.weight"),)}
    assert found.replaced == {Own: {"weight"}}


def test_a_module_of_an_own_class_has_one_place() -> None:
    both = Both(nn.Parameter(torch.ones(4)))
    both.first = both.second
    with pytest.raises(Unwritable, match=r"first\.weight and second\.weight are one parameter"):
        find_ties(both, is_own)


def test_of_two_parameters_that_of_the_layer_is_replaced() -> None:
    both = Both(nn.Parameter(torch.ones(4)))
    both.first = nn.Linear(2, 2)
    both.first.weight = both.second.weight
    found = find_ties(both, is_own)
    assert found.within == {Both: (("second.weight", "first.weight"),)}
    assert found.replaced == {}
