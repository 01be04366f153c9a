"""porting.py: dictionaries with string keys, as the results of segmentation models."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable

import torch
from torch import nn

from bridge.port.porting import Port

Lines = Callable[..., list[str]]
X = torch.rand(2, 3, 4)


class Layers(nn.ModuleDict):
    def __init__(self) -> None:
        super().__init__({"a": nn.Linear(4, 4), "b": nn.ReLU()})
        self.names = {"b": "result"}

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        out = OrderedDict()
        for name, layer in self.items():
            x = layer(x)
            if name in self.names:
                out[self.names[name]] = x
        return out


class Read(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = Layers()

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        found = self.layers(x)
        made = {"x": x, "y": found["result"]}
        for key, one in made.items():
            if key not in found:
                x = x + one
        for one in made.values():
            x = x * one
        made["x"] = x
        return made


class Mixed(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made = {"x": x, "n": 2}
        return made["x"]


def test_a_dictionary_is_made_read_and_walked_over(lines: Lines) -> None:
    assert lines(Read, X) == [
        "var found = layers.call(x);",
        'var made = new Dictionary<string, Tensor> { ["x"] = x, ["y"] = found["result"] };',
        "foreach (var (key, one) in made)",
        "{",
        "if (!found.ContainsKey(key))",
        "{",
        "x = x + one;",
        "}",
        "}",
        "foreach (var one in made.Values)",
        "{",
        "x = x * one;",
        "}",
        'made["x"] = x;',
        "return made;",
    ]


def test_a_dictionary_of_settings_is_a_field(ported: Callable[..., Port]) -> None:
    text = ported(Layers, X).files["Layers.cs"]
    assert "class Layers : Module<Tensor, Dictionary<string, Tensor>>" in text
    assert 'names = new Dictionary<string, string> { ["b"] = "result" };' in text
    assert "if (names.ContainsKey(name))" in text
    assert "output[names[name]] = x;" in text


def test_values_of_several_types_are_the_reason_to_write_what_ran(ported: Callable[..., Port]) -> None:
    port = ported(Mixed, X)
    assert [one.how for one in port.wrote if not one.constructs] == ["graph"]
    assert re.search(
        r"test_dictionaries\.py:\d+: .*, of values of several types: Tensor, int\n", port.files["Mixed.cs"]
    )
