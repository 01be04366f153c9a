"""instances.py: children in constructors by instances."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from bridge.port.errors import Unwritable
from bridge.port.porting import Port

X = torch.rand(2, 3)


class Part(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.layer(x) + y


class Bare(nn.Module):
    """A module of class nn.Module that holds others, as models of diffusion do."""

    def __init__(self) -> None:
        super().__init__()
        self.mid = nn.Module()
        self.mid.first = Part(3)
        self.mid.act = nn.ReLU()
        self.mid.inner = nn.Module()
        self.mid.inner.last = nn.Linear(3, 3)
        self.several = nn.Module()
        self.several.add_module("a", nn.ReLU())
        self.several.add_module("b", nn.Linear(3, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for one in self.several.children():
            x = one(x)
        return self.mid.inner.last(self.mid.act(self.mid.first(x, x)))


def test_a_module_without_a_class_is_a_dictionary(ported: Callable[..., Port]) -> None:
    port = ported(Bare, X)
    assert port.left == ()
    text = port.files["Bare.cs"]
    assert sorted(port.files) == ["Bare.cs", "Part.cs"]
    assert 'several = ModuleDict<Module<Tensor, Tensor>>(("a", ReLU()), ("b", Linear(3, 3)));' in text
    assert "foreach (var one in several.values())" in text
    assert '((Part)mid["first"]).call(x, x)' in text
    assert '(ModuleDict<Linear>)mid["inner"])["last"]' in text


class Weighted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mid = nn.Module()
        self.mid.weight = nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.mid.weight


def test_a_module_without_a_class_holds_no_parameters(ported: Callable[..., Port]) -> None:
    with pytest.raises(
        Unwritable, match=r"Weighted.mid is an nn.Module\(\) with parameters or buffers: give it a class."
    ):
        ported(Weighted, X)


class Numbered(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mid = nn.Module()
        self.mid.layer = nn.Linear(3, 3)
        self.mid.number = 2  # type: ignore[assignment]  # as models do

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.mid.layer(x) * self.mid.number


def test_an_attribute_that_is_no_child_is_left_to_do(ported: Callable[..., Port]) -> None:
    (left,) = ported(Numbered, X).left
    assert "'self.mid.number', which is no child" in left.why


class Sided(nn.Module):
    def __init__(self, inner: str, outer: str) -> None:
        super().__init__()
        sizes = [int(one, base=2) for one in (inner, outer)]  # no translation
        self.first = nn.Linear(3, sizes[0])
        self.second = nn.Linear(*sizes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x))


class Sides(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = Sided("100", "11"), Sided("101", "11")
        self.other = Sided("101", "10")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.other(self.left(x) + self.right(x))


def test_values_that_agree_in_all_instances_are_one_parameter(ported: Callable[..., Port]) -> None:
    text = ported(Sides, X).files
    assert "public Sided(long firstOutFeatures, long secondOutFeatures)" in text["Sided.cs"]
    assert "second = Linear(firstOutFeatures, secondOutFeatures);" in text["Sided.cs"]
    assert "right = new Sided(5, 3);" in text["Sides.cs"]
