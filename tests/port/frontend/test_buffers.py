"""statements/buffers.py: buffers that a forward assigns."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from bridge.port.porting import Port

X = torch.rand(4, 3)


class Averaging(nn.Module):
    def __init__(self, width: int = 3) -> None:
        super().__init__()
        self.mean: torch.Tensor
        self.register_buffer("mean", torch.zeros(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return x - self.mean


def test_a_new_tensor_is_copied_into_the_buffer(ported: Callable[..., Port]) -> None:
    port = ported(Averaging, X)
    assert port.left == ()
    assert "PythonMath.ReplaceBuffer(mean, 0.9 * mean + 0.1 * x.mean(new long[] { 0 }));" in port.files["Averaging.cs"]
    assert "if (buffer.dtype != value.dtype || !buffer.shape.SequenceEqual(value.shape))" in port.files["PythonMath.cs"]


class Kept(Averaging):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        before = self.mean
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return x - before


class Given(Averaging):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean = x
        return x * 2


class Twice(Averaging):
    def __init__(self) -> None:
        super().__init__()
        self.first: torch.Tensor
        self.register_buffer("first", self.mean)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean = self.mean + x.mean(0)
        return x - self.first


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Kept, "self.mean, which is a buffer that is read outside of arithmetic"),
        (Given, "self.mean, which is a buffer, of a value that is no result of arithmetic"),
        (Twice, "an assignment to self.mean, which is a buffer"),
    ],
)
def test_tensors_that_something_else_holds(ported: Callable[..., Port], kind: type[nn.Module], why: str) -> None:
    (left,) = ported(kind, X).left
    assert why in left.why


class Places(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.places: torch.Tensor
        self.register_buffer("places", torch.zeros(1), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.places.shape[0] != x.shape[0]:
            self.places = torch.arange(x.shape[0], dtype=torch.float32)
        return self.layer(x) + self.places.unsqueeze(1)


def test_a_buffer_that_no_state_dict_has_is_replaced(ported: Callable[..., Port]) -> None:
    port = ported(Places, X)
    assert port.left == ()
    text = port.files["Places.cs"]
    assert "public Tensor places { get; private set; }" in text
    assert "register_buffer" not in text
    registered = text.index("RegisterComponents();")
    assert text.index("var places = torch.zeros(1);") < registered < text.index("this.places = places;")
    assert "places = torch.arange(x.shape[0], torch.float32);" in text
