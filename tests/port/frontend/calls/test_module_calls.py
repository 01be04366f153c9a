"""module_calls.py: what layers give, by their classes (issue 43, section 2)."""

from __future__ import annotations

import torch
from torch import nn

from bridge.port.ir.nodes import ModuleCall
from bridge.port.ir.types import NONE, TENSOR, TupleOf
from tests.port.frontend.lowering import found, lower_forward

T = torch.tensor([[1.0, -2.0]])


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(2, 3, batch_first=True)
        self.gru = nn.GRU(3, 3)
        self.attention = nn.MultiheadAttention(3, 1)
        self.chain = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out, (h, c) = self.lstm(x)
        out, _ = self.gru(out)
        out, _ = self.attention(out, out, out, need_weights=False)
        return self.chain(out) + h.sum() + c.sum()


def test_a_layer_gives_what_its_class_gives() -> None:
    lowered = lower_forward(Recurrent().eval(), x=torch.rand(1, 4, 2))
    types = {str(one.module.type).partition("[")[0]: one.type for one in found(lowered, ModuleCall)}
    assert types == {
        "LSTM": TupleOf((TENSOR, TupleOf((TENSOR, TENSOR)))),
        "GRU": TupleOf((TENSOR, TENSOR)),
        "MultiheadAttention": TupleOf((TENSOR, NONE)),
        "Sequential": TENSOR,
    }
    (attention,) = [one for one in found(lowered, ModuleCall) if len(one.arguments) == 4]
    assert [one.name for one in attention.arguments] == ["query", "key", "value", "need_weights"]


class Chain(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(2, 2), nn.ReLU())


class Holder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.chain = Chain()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.chain(x)


def test_a_class_that_inherits_the_forward_of_a_layer_is_called_as_that_layer() -> None:
    (call,) = found(lower_forward(Holder().eval(), x=T), ModuleCall)
    assert ([one.name for one in call.arguments], call.type) == (["input"], TENSOR)
