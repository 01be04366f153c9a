"""statements.py: statements, variables and where they are declared."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

Lines = Callable[..., list[str]]
X = torch.rand(2, 3, 4)


class Loops(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Runs all layers."""
        for i, layer in enumerate(self.layers):
            x = layer(x) * i
        for k in range(2):
            x += k
        out = []
        for layer in self.layers:
            out.append(layer(x))
        return torch.cat(out, 1)


class Branches(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            y = x * 2
            twice = y + 0
            y = twice
        else:
            y = x
        x.mul_(1)
        return y


class Unpacked(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b, c, _ = x.shape
        first, second = x.chunk(2, dim=-1)
        return first * b, second * c


def test_loops(lines: Lines) -> None:
    assert lines(Loops, X) == [
        "foreach (var (layer, i) in layers.Select((one, number) => (one, (long)number)))",
        "{",
        "x = layer.call(x) * i;",
        "}",
        "for (var k = 0; k < 2; k++)",
        "{",
        "x.add_(k);",
        "}",
        "var output = new List<Tensor>();",
        "foreach (var layer in layers)",
        "{",
        "output.Add(layer.call(x));",
        "}",
        "return torch.cat(output, 1);",
    ]


def test_a_variable_of_a_branch_that_is_read_after_it_is_declared_before_it(lines: Lines) -> None:
    assert lines(Branches, X) == [
        "Tensor y;",
        "if (training)",
        "{",
        "y = x * 2;",
        "var twice = y + 0;",
        "y = twice;",
        "}",
        "else",
        "{",
        "y = x;",
        "}",
        "x.mul_(1);",
        "return y;",
    ]


def test_what_is_unpacked(lines: Lines) -> None:
    assert lines(Unpacked, X) == [
        "var shape = x.shape;",
        "var b = shape[0];",
        "var c = shape[1];",
        "var firstParts = x.chunk(2, -1);",
        "var first = firstParts[0];",
        "var second = firstParts[1];",
        "return (first * b, second * c);",
    ]
