"""bridge/port/frontend/classes/certainty.py: what other arguments of a constructor change is read when C# runs (issue 43, section 3)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from bridge.port.porting import Port

X = torch.rand(3, 4)


def forward(port: Port, name: str) -> str:
    text = port.files[f"{name}.cs"]
    return " ".join(text[text.index(" forward(") :].split())


def way(port: Port, name: str) -> str:
    return next(one.how for one in port.wrote if one.where == f"{name}.__init__")


class Attending(nn.Module):
    def __init__(self, width: int = 4, heads: int = 2) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.attention.num_heads


class AttendingTwice(nn.Module):
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.attention.num_heads


class Recurrent(nn.Module):
    def __init__(self, width: int = 3) -> None:
        super().__init__()
        self.layer = nn.LSTM(4, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.layer.num_layers


class RecurrentByWidth(Recurrent):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.layer.hidden_size


def scaled(layer: nn.MultiheadAttention, x: torch.Tensor) -> torch.Tensor:
    return x * layer.num_heads


class AttendingByFunction(Attending):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return scaled(self.attention, x)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        (Attending, "instances"),
        (AttendingTwice, "source"),
        (Recurrent, "source"),
        (RecurrentByWidth, "instances"),
        (AttendingByFunction, "instances"),
    ],
)
def test_a_setting_of_a_layer_without_a_property_is_a_literal_where_its_constructor_has_it_alone(
    ported: Callable[..., Port], kind: type[nn.Module], how: str
) -> None:
    port = ported(kind, X)
    assert way(port, kind.__name__) == how
    assert how == "source" or f"public {kind.__name__}()" in port.files[f"{kind.__name__}.cs"], "no arguments change it"


class Block(nn.Module):
    expansion = 3

    def __init__(self, width: int, stride: int, gated: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.stride, self.kind = stride, "plain" if stride < 3 else "strided"
        self.factor = 5
        self.gate = nn.Linear(width, width) if gated else None

    @property
    def total(self) -> int:
        return self.stride * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


class Outer(nn.Module):
    def __init__(self, stride: int = 2, gated: bool = True) -> None:
        super().__init__()
        self.block = Block(4, stride, gated)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.block(x) * self.block.stride * self.block.factor * self.block.expansion
        if self.block.kind == "plain":
            x = x + 1
        return x if self.block.gate is None else self.block.gate(x)


def test_what_a_child_is_given_is_read_of_the_child(ported: Callable[..., Port]) -> None:
    port = ported(Outer, X)
    text = forward(port, "Outer")
    assert way(port, "Outer") == "source"
    assert "block.call(x) * block.stride * 5 * 3" in text, "the others are literals for whatever arguments"
    assert 'block.kind == "plain"' in text
    assert "block.gate is null" in text, "though the model's is there"
    assert "internal readonly long stride;" in port.files["Block.cs"]


class OuterOfProperty(Outer):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.block(x) * self.block.total


def test_a_property_of_a_child_is_no_literal(ported: Callable[..., Port]) -> None:
    assert way(ported(OuterOfProperty, X), "OuterOfProperty") == "instances"


class Marked(nn.Module):
    def __init__(self, marked: bool = True) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        if marked:
            self.mark = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) * 2 if hasattr(self, "mark") else self.linear(x)


class Holding(nn.Module):
    def __init__(self, gated: bool = True) -> None:
        super().__init__()
        self.child = Gated(gated)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.child(x) * 2 if hasattr(self.child, "gate") else self.child(x)


class Gated(nn.Module):
    def __init__(self, gated: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        if gated:
            self.gate = 3

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


class Chained(nn.Module):
    def __init__(self, norm: bool = True) -> None:
        super().__init__()
        self.parts = nn.Sequential()
        if norm:
            self.parts.add_module("norm", nn.LayerNorm(4))
        self.parts.add_module("linear", nn.Linear(4, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.parts.linear(x)


@pytest.mark.parametrize("kind", [Marked, Holding, Chained])
def test_what_other_arguments_leave_out_makes_a_constructor_without_them(
    ported: Callable[..., Port], kind: type[nn.Module]
) -> None:
    port = ported(kind, X)
    assert way(port, kind.__name__) == "instances"
    assert f"public {kind.__name__}()" in port.files[f"{kind.__name__}.cs"]


class Chosen(nn.Module):
    def __init__(self, norm: bool = True) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4) if norm else nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if isinstance(self.norm, (nn.BatchNorm1d, nn.LayerNorm)):
            x = x + 1
        return self.norm(x)


def test_a_module_may_be_of_each_class_that_is_asked_for(ported: Callable[..., Port]) -> None:
    port = ported(Chosen, X)
    assert way(port, "Chosen") == "source"
    assert "norm is LayerNorm || norm is BatchNorm1d" in forward(port, "Chosen"), "though it is a LayerNorm"


class Affine(nn.Module):
    def __init__(self, affine: bool = True) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4, bias=affine)
        self.norm = nn.BatchNorm1d(4, affine=affine, track_running_stats=affine)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.linear.bias is not None:
            x = x + self.linear.bias
        if self.norm.weight is not None:
            x = x * 2
        if self.norm.running_mean is not None:
            x = x * 3
        return x


def test_a_tensor_of_a_layer_that_other_arguments_leave_out_may_be_null(ported: Callable[..., Port]) -> None:
    port = ported(Affine, X)
    text = forward(port, "Affine")
    assert way(port, "Affine") == "source"
    for one in ("linear.bias", "norm.weight", "norm.running_mean"):
        assert f"{one} is not null" in text
