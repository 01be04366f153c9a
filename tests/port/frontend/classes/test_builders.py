"""bridge/port/frontend/classes/builders.py: chains of a class without a forward of its own, as functions that return them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from bridge.port.porting import Port


class Transition(nn.Sequential):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(inputs)
        self.linear = nn.Linear(inputs, outputs)


class Several(nn.Sequential):
    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        for number in range(depth):
            self.add_module(f"layer{number}", nn.Linear(width, width))


class Listed(nn.Sequential):
    def __init__(self, width: int, bias: bool = False) -> None:
        layers = [nn.Linear(width, width, bias), nn.ReLU()]
        super().__init__(*layers)
        self.width = width


class Whole(nn.Module):
    def __init__(self, width: int = 2) -> None:
        super().__init__()
        self.first, self.second, self.third = Transition(width, 3), Several(3, 2), Listed(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.third(self.second(self.first(x)))


def test_chains_are_made_by_functions(ported: Callable[..., Port]) -> None:
    port = ported(Whole, torch.rand(4, 2))
    assert {one.where: one.how for one in port.wrote if one.constructs} == {"Whole.__init__": "source"}
    text = " ".join(port.files["Functions.cs"].split())
    assert (
        "internal static Sequential Transition(long inputs, long outputs) "
        '{ return Sequential(("norm", BatchNorm1d(inputs)), ("linear", Linear(inputs, outputs))); }'
    ) in text
    assert "internal static Sequential Several(long width, long depth)" in text
    assert 'children[$"layer{number}"] = Linear(width, width);' in text
    assert "internal static Sequential Listed(long width, bool bias = false)" in text
    assert "first = Functions.Transition(width, 3);" in port.files["Whole.cs"]
