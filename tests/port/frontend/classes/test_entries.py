"""entries.py: children of a class that takes any number of them, as its methods walk over them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from bridge.port.errors import Unwritable
from bridge.port.porting import Port

X = torch.rand(2, 3, 4)


class Listed(nn.ModuleList):
    def __init__(self) -> None:
        super().__init__([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self[0](x) + self[-1](x)
        for layer in self:
            x = layer(x)
        for number, layer in enumerate(self):
            x = layer(x) * number
        return x * len(self) + sum(layer(x) for layer in self)


class Named(nn.ModuleDict):
    def __init__(self) -> None:
        super().__init__({"a": nn.Linear(4, 4), "b": nn.ReLU()})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for name in self:
            x = x + self[name](x)
        for name, layer in self.named_children():
            x = layer(x) if name != "b" else x
        for layer in self._modules.values():
            x = layer(x)
        return self["a"](x)


class Twice(nn.Sequential):
    def __init__(self) -> None:
        layer = nn.Linear(4, 4)
        super().__init__(layer, layer)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self:
            x = layer(x)
        return x


def test_a_list_is_walked_over_indexed_and_counted(lines: Callable[..., list[str]]) -> None:
    assert lines(Listed, X) == [
        "x = entries[0].Item2.call(x) + entries[^1].Item2.call(x);",
        "foreach (var (_, layer) in entries)",
        "{",
        "x = layer.call(x);",
        "}",
        "foreach (var (number, layer) in entries.Select(entry => entry.Item2).Select((one, number) => ((long)number, one)))",
        "{",
        "x = layer.call(x) * number;",
        "}",
        "return x * entries.Count",
        "+ entries.Select(entry => entry.Item2).Select(layerValue => layerValue.call(x)).Aggregate((sum, one) => sum + one);",
    ]


def test_a_dictionary_is_walked_over_by_its_names_and_asked_by_them(ported: Callable[..., Port]) -> None:
    text = ported(Named, X).files["Named.cs"]
    assert "foreach (var (name, _) in entries)" in text
    assert "entries.Where(entry => entry.Item1 == name).Select(entry => entry.Item2).First().call(x)" in text
    assert "foreach (var (name, layer) in entries)" in text
    assert "foreach (var (_, layer) in entries)" in text


def test_a_child_that_stands_there_twice_is_refused(ported: Callable[..., Port]) -> None:
    with pytest.raises(Unwritable, match="holds a child twice"):
        ported(Twice, X)
