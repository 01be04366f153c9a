"""built_layers.py: a layer without weights that a forward builds is a function (issue 43, section 4)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.ir.nodes import TorchCall, ValueCall
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
