"""porting.py: what is walked over, comprehensions, parts of lists and their methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.porting import Port
from tests.port import styles

Lines = Callable[..., list[str]]
X = torch.rand(2, 3, 4)


class Walked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x: torch.Tensor) -> Any:
        for one in (self.first, self.second):
            x = one(x)
        for number, layer in enumerate(self.layers[1:], 1):
            x = layer(x) * number
        found = [layer(x) * k for layer, k in zip(self.layers, [1, 2, 3], strict=True) if k > 1]
        powers = [2 * i for i in range(x.shape[0])]
        for y in reversed(found):
            x = x + y
        return x + sum(found) * sum(powers) * max(powers)


class Taken(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        found = [x, x + 1, x + 2]
        last = found.pop()
        found = found[::-1]
        y = torch.cat([found.pop(0), last], 1)
        found.insert(0, y)
        return tuple(found)


class PoppedTwice(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        found = [x, x + 1]
        return found.pop() + found.pop()


def test_what_is_walked_over(lines: Lines) -> None:
    assert lines(Walked, X) == [
        "foreach (var one in new[] { first, second })",
        "{",
        "x = one.call(x);",
        "}",
        "foreach (var (number, layer) in layers.Take(1..).Select((one, number) => (number + 1L, one)))",
        "{",
        "x = layer.call(x) * number;",
        "}",
        "var found = PythonMath.ZipStrict(layers, new long[] { 1, 2, 3 })",
        ".Where(one => one.Item2 > 1)",
        ".Select(one => one.Item1.call(x) * one.Item2)",
        ".ToList();",
        "var powers = PythonMath.Range(0, x.shape[0]).Select(i => 2 * i).ToList();",
        "foreach (var y in Enumerable.Reverse(found))",
        "{",
        "x = x + y;",
        "}",
        "return x + found.Aggregate((sum, one) => sum + one) * powers.Sum() * powers.Max();",
    ]


def test_what_is_taken_out_is_taken_out_where_it_stands(lines: Lines) -> None:
    assert lines(Taken, X) == [
        "var found = new List<Tensor> { x, x + 1, x + 2 };",
        "var last = PythonMath.Pop(found);",
        "found = Enumerable.Reverse(found).ToList();",
        "var y = torch.cat([PythonMath.Pop(found, 0), last], 1);",
        "found.Insert(0, y);",
        "return found;",
    ]


def test_what_is_taken_out_twice_in_a_statement_is_taken_from_the_left(lines: Lines) -> None:
    assert lines(PoppedTwice, X)[-1] == "return PythonMath.Pop(found) + PythonMath.Pop(found);"


def test_a_list_of_skips(lines: Lines) -> None:
    found = lines(styles.Skips, torch.rand(1, 3, 8, 8))
    assert "skips = Enumerable.Reverse(skips).ToList();" in found
    assert "var skip = PythonMath.Pop(skips, 0);" in found
    assert "if (!x.shape.SequenceEqual(skip.shape))" in found
    assert "x = F.interpolate(x, skip.shape[2..]);" in found, "a branch into which the run did not come"


@pytest.mark.parametrize("length", [1, 5])
def test_sums_of_a_generator(ported: Callable[..., Port], length: int) -> None:
    class Summed(nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return sum(x * k for k in range(length))

    text = ported(Summed, X).files["Summed.cs"]
    assert f"private const long length = {length};" in text
    assert "return Enumerable.Range(0, (int)length).Select(k => x * k).Aggregate((sum, one) => sum + one);" in text
