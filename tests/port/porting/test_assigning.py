"""porting.py: what is assigned to: attributes, entries, stars, several targets; and what an LSTM gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from bridge.port.porting import Port
from tests.port import styles

Lines = Callable[..., list[str]]
X = torch.rand(2, 3, 4)


class Targets(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, c, *_ = x.shape
        y = z = x * b
        index = x.argmax(0)[0]
        y[index] += c
        half = 8
        half //= 2
        x, self.seen = y + half, z
        return x


class Kept(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last: Any = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.last is not None:
            x = x + self.last
        self.last = x
        return x


def test_targets(lines: Lines) -> None:
    assert lines(Targets, X) == [
        "var shape = x.shape;",
        "if (shape.Length < 2)",
        "{",
        'throw new ArgumentException("not enough values to unpack");',
        "}",
        "var b = shape[0];",
        "var c = shape[1];",
        "var y = x * b;",
        "var z = y;",
        "var index = x.argmax(0)[0];",
        "y[TensorIndex.Tensor(index)] += c;",
        "long half = 8;",
        "half /= 2;",
        "(x, seen) = (y + half, z);",
        "return x;",
    ]


def test_what_a_forward_leaves_is_a_property_and_no_buffer(ported: Callable[..., Port]) -> None:
    text = ported(Targets, X).files["Targets.cs"]
    assert "public Tensor? seen { get; private set; }" in text
    assert not hasattr(Targets, "seen")


def test_what_another_call_left_is_there(ported: Callable[..., Port]) -> None:
    """The first call sees nothing there, and the second does (issue 43: state on ``self`` between calls stays)."""
    model = Kept()
    text = ported(lambda: model, X).files["Kept.cs"]
    assert "public Tensor? last { get; private set; }" in text
    assert "if (last is not null)" in text
    assert "x = x + last;" in text
    assert model.last is None, "as before the run that was watched"


def test_an_lstm_gives_three_values(lines: Lines) -> None:
    assert lines(styles.Encoder, torch.rand(2, 5, 4)) == [
        "var start = (x.new_zeros(1, x.shape[0], 6), x.new_zeros(1, x.shape[0], 6));",
        "var (output, h, c) = lstm.call(x, start);",
        "var (again, stateHidden, stateCell) = lstm.call(x, (h, c));",
        "var state = (stateHidden, stateCell);",
        "return output + again + state.Item1[-1].unsqueeze(1);",
    ]


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count += 1
        return x * self.count


def test_an_augmented_assignment_changes_a_buffer_in_place(lines: Callable[..., list[str]]) -> None:
    assert lines(Counting, torch.rand(2)) == ["count.add_(1);", "return x * count;"]


class Part(nn.Module):
    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads, self.first = heads, True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.heads


class Reading(nn.Module):
    """Reads settings of its part."""

    def __init__(self) -> None:
        super().__init__()
        self.part = Part(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.part(x) + self.part.heads


class Writing(Reading):
    """Assigns what would be a setting."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.part.heads = x.shape[0]
        return self.part(x) + self.part.heads


def test_a_setting_that_another_module_is_given_is_no_constant(
    lines: Callable[..., list[str]], ported: Callable[..., Port]
) -> None:
    assert lines(Reading, torch.rand(2)) == ["return part.call(x) + part.heads;"]
    assert "+ 3;" not in "".join(ported(Writing, torch.rand(2)).files.values())
