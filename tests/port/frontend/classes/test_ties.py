"""ties.py: the names of parameters below a class."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from bridge.port.porting import Port
from tests.port import styles


def test_in_a_dictionary(ported: Callable[..., Port]) -> None:
    text = ported(styles.Tied, torch.tensor([[1, 2]])).files["Tied.cs"]
    assert 'head.weight = ((Embedding)parts["embed"]).weight!;' in text


class Scaled(nn.Embedding):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * 2.0


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shared = Scaled(11, 4)
        self.parts = nn.ModuleList([Scaled(11, 4), Scaled(11, 4)])
        for one in self.parts:
            one.weight = self.shared.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.shared(x) + self.parts[0](x) * self.parts[1](x)


def test_of_a_class_of_the_model(ported: Callable[..., Port]) -> None:
    files = ported(Model, torch.tensor([[1, 2]])).files
    assert "parts[0].tie_weight(shared.weight);\n        parts[1].tie_weight(shared.weight);" in files["Model.cs"]
    assert "internal Parameter weight;" in files["Scaled.cs"]
    assert """    internal void tie_weight(Parameter value)
    {
        weight = value;
        ConditionallyRegisterParameter("weight", weight);
    }""" in files["Scaled.cs"]


class Shared(nn.Module):
    """A layer and a part that are children, and items of a chain as well; the constructor has no translation."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(3)
        self.part = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.chain = nn.Sequential(self.norm, self.part, nn.Linear(3, 3))
        self.again = self.norm
        self.later = nn.ModuleDict({"first": nn.Linear(3, 3)})
        self.late = self.later["first"]
        self.chain.apply(lambda one: setattr(one, "seen", 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.again(self.chain(x)) + self.late(self.later["first"](x))


def test_modules_that_are_children_twice(ported: Callable[..., Port]) -> None:
    port = ported(Shared, torch.rand(2, 3))
    text = port.files["Shared.cs"]
    assert [one.how for one in port.wrote if one.constructs] == ["instances"]
    assert "chain = Sequential(norm, part, Linear(3, 3));" in text
    assert "again = norm;" in text
    ties = [line.strip() for line in text.splitlines() if "// one parameter" in line]
    assert [one.partition(" = ")[0] for one in ties] == ["late.weight", "late.bias"]
