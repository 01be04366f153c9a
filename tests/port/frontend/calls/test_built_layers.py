"""built_layers.py: a layer without weights that a forward builds is a function (issue 43, section 4)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.ir.nodes import TorchCall, ValueCall
from bridge.port.porting import Port
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([[1.0, -2.0]])


def built(x: torch.Tensor) -> torch.Tensor:
    act = nn.LeakyReLU(0.2)
    return nn.Softmax(dim=-1)(act(x)) + nn.L1Loss(reduction="sum")(x, x * 2)


def test_a_layer_that_is_built_is_the_function_that_it_calls() -> None:
    lowered = lower(built, (T,))
    assert {one.function for one in found(lowered, TorchCall)} == {F.leaky_relu, F.softmax, F.l1_loss}
    assert len(found(lowered, ValueCall)) == 1


def test_a_built_layer_gives_what_the_layer_gives() -> None:
    assert differences(built, ((T,),), ((T * -3,),)) == []


class Twice(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = 3

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


class Layers(dict[str, type]):
    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(name)()


LAYERS = Layers(twice=Twice, scaled=Scaled)


class Listed(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.layer = LAYERS[kind]

    def forward(self, x: torch.Tensor, kind: str) -> torch.Tensor:
        return activated(self.layer(x), kind)


def activated(x: torch.Tensor, kind: str | None = None) -> torch.Tensor:
    if kind is not None:
        x = LAYERS[kind](x)
    return x


def test_a_layer_of_a_table_is_made_where_it_has_no_settings(ported: Callable[..., Port]) -> None:
    port = ported(functools.partial(Listed, "twice"), T, "twice")
    assert not port.left
    assert "x = new Twice().call(x);" in port.files["Functions.cs"]
    assert "another entry of LAYERS than twice" in port.files["Functions.cs"]
    port = ported(functools.partial(Listed, "scaled"), T, "scaled")
    assert "new Scaled" not in port.files.get("Functions.cs", "")
