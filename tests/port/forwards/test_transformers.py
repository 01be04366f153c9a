"""transformers.py: nn.TransformerEncoder and its layers as classes of the project."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.forwards import transformers
from bridge.port.forwards.transformers import encoder_layer
from bridge.port.porting import Port
from tests.port import attending


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("gradients", [True, False])
def test_a_layer_is_what_pytorch_computes_to_the_bit(gradients: bool, norm_first: bool, activation: str) -> None:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=norm_first, activation=activation).eval()
    for batch, steps in ((1, 1), (3, 5), (2, 64)):
        x = torch.rand(batch, steps, 16)
        with torch.set_grad_enabled(gradients):
            assert torch.equal(encoder_layer(layer, x), layer(x))


def test_where_pytorch_fuses_a_layer_no_child_is_called(ported: Callable[..., Port]) -> None:
    port = ported(attending.Layers, torch.rand(2, 5, 8), torch.rand(2, 3, 8))
    assert port.left == ()
    text = port.files["TransformerEncoderLayer.cs"]
    assert "if (unmasked && !training && !torch.is_grad_enabled())" in text
    assert "internal readonly Parameter in_proj_weight;" in port.files["MultiheadAttention.cs"], "the layer reads it"


def test_layers_of_which_some_are_fused_are_not_replaced() -> None:
    def layers(*activations: Callable[[torch.Tensor], torch.Tensor]) -> nn.Module:
        return nn.ModuleList(nn.TransformerEncoderLayer(8, 2, batch_first=True, activation=one) for one in activations)

    assert nn.TransformerEncoderLayer not in transformers.forwards(layers(F.relu, torch.tanh), False)
    forward = transformers.forwards(layers(torch.tanh), False)[nn.TransformerEncoderLayer]
    assert isinstance(forward, FunctionType)
    assert forward.__globals__["FUSED"] is False


def test_the_original_is_pytorchs_forward(ported: Callable[..., Port]) -> None:
    wrote = ported(attending.Padded, torch.tensor([[1, 2, 0]])).wrote
    places = {one.where: one.place.partition(":")[0] for one in wrote}
    assert places["MultiheadAttention.forward"] == "activation.py"
    assert places["TransformerEncoderLayer.forward"] == places["TransformerEncoder.forward"] == "transformer.py"
