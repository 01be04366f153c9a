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


def test_the_innermost_class_that_has_both_ties_them(ported: Callable[..., Port]) -> None:
    files = ported(Outer, X).files
    assert "head.weight = ((Linear)inner.layers[0]).weight;" in files["Outer.cs"]
    assert "internal readonly Sequential layers;" in files["Inner.cs"]
    assert "private readonly Inner inner;" in files["Outer.cs"]


def test_parameters_of_own_classes_cannot_be_one() -> None:
    weight = nn.Parameter(torch.ones(4))
    with pytest.raises(Unwritable, match=r"0\.weight and 1\.weight are one parameter"):
        find_ties(nn.Sequential(Own(weight), Own(weight)), is_own)
