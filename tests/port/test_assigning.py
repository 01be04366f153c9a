"""assigning.py: what is assigned to: attributes, entries, stars, several targets; and what an LSTM gives."""

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
        "var b = shape[0];",
        "var c = shape[1];",
        "var z = x * b;",
        "var y = z;",
        "var index = x.argmax(0)[0];",
        "y[TensorIndex.Tensor(index)] += c;",
        "long half = 8;",
        "half /= 2;",
        "(x, var itsSeen) = (y + half, z);",
        "seen = itsSeen;",
        "return x;",
    ]


def test_what_a_forward_leaves_is_a_property_and_no_buffer(ported: Callable[..., Port]) -> None:
    text = ported(Targets, X).files["Targets.cs"]
    assert "public Tensor? seen { get; private set; }" in text
    assert not hasattr(Targets, "seen")


def test_what_another_call_left_is_not_read(ported: Callable[..., Port]) -> None:
    """The first call sees nothing there, and the second does: neither source nor graph says both."""
    model = Kept()
    port = ported(lambda: model, X)
    assert "self.last is what another call left there" in (port.left[0].why if port.left else port.files["Kept.cs"])
    assert model.last is None, "as before the run that was watched"


def test_an_lstm_gives_three_values(lines: Lines) -> None:
    assert lines(styles.Encoder, torch.rand(2, 5, 4)) == [
        "var start = (x.new_zeros(1, x.shape[0], 6), x.new_zeros(1, x.shape[0], 6));",
        "var (output, h, c) = lstm.call(x, start);",
        "var (again, stateHidden, stateCell) = lstm.call(x, (h, c));",
        "var state = (stateHidden, stateCell);",
        "return output + again + state.Item1[-1].unsqueeze(1);",
    ]
