"""constructors.py: what takes the place of the constructors of PyTorch's attention and transformers makes the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.forwards import constructors as module
from bridge.port.forwards.constructors import constructors
from bridge.port.observe.models.construction import construct
from bridge.port.porting import Port
from tests.port import attending

X = torch.rand(2, 5, 8)
#: Attributes of PyTorch's modules that no forward here reads.
UNREAD = {"kdim", "vdim", "_qkv_same_embed_dim", "add_zero_attn", "bias_k", "bias_v", "enable_nested_tensor"}
UNREAD |= {"use_nested_tensor", "mask_check", "activation"}


def made(kind: type[nn.Module], function: Any, *args: Any, **kwargs: Any) -> tuple[nn.Module, nn.Module]:
    """Return a module by PyTorch's constructor and by the port's, from one seed."""
    torch.manual_seed(0)
    with warnings.catch_warnings(action="ignore"):  # of nested tensors
        expected = kind(*args, **kwargs)
    found = kind.__new__(kind)
    torch.manual_seed(0)
    with warnings.catch_warnings(action="ignore"):
        function(found, *args, **kwargs)
    return expected, found


def attributes(one: nn.Module) -> dict[str, Any]:
    """Return the plain attributes of a module and of those below it."""
    return {
        f"{path}.{name}": value
        for path, part in one.named_modules()
        for name, value in vars(part).items()
        if name not in UNREAD and not name.startswith("_")
    }


LAYER: dict[str, Any] = {"dropout": 0.2, "layer_norm_eps": 1e-3, "batch_first": True, "norm_first": True, "bias": False}


@pytest.mark.parametrize(
    ("kind", "function", "args", "kwargs"),
    [
        (nn.MultiheadAttention, module.attention, (8, 2), {}),
        (nn.MultiheadAttention, module.attention, (8, 4, 0.1, False), {"batch_first": True, "kdim": 8}),
        (nn.TransformerEncoderLayer, module.encoder_layer, (8, 2), {}),
        (nn.TransformerEncoderLayer, module.encoder_layer, (8, 2, 16), {"activation": "gelu", **LAYER}),
        (nn.TransformerEncoderLayer, module.encoder_layer, (8, 2, 16), {"activation": F.gelu}),
        (nn.TransformerDecoderLayer, module.decoder_layer, (8, 2, 16), LAYER),
    ],
)
def test_a_layer_has_pytorchs_attributes_and_initial_values(
    kind: type[nn.Module], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    expected, found = made(kind, function, *args, **kwargs)
    assert attributes(found) == attributes(expected)
    values = expected.state_dict()
    assert list(found.state_dict()) == list(values)
    assert all(torch.equal(one, values[name]) for name, one in found.state_dict().items())


def test_stacks_have_the_values_of_the_layer_that_they_are_given() -> None:
    for kind, layer, function in (
        (nn.TransformerEncoder, nn.TransformerEncoderLayer, module.encoder),
        (nn.TransformerDecoder, nn.TransformerDecoderLayer, module.decoder),
    ):
        expected, found = made(kind, function, layer(8, 2, 16, **LAYER), 2, norm=nn.LayerNorm(8))
        values = expected.state_dict()
        assert attributes(found) == attributes(expected)
        assert found.state_dict().keys() == values.keys()
        assert all(torch.equal(one, values[name]) for name, one in found.state_dict().items())


def test_a_transformer_has_pytorchs_parts() -> None:
    expected, found = made(nn.Transformer, module.transformer, 8, 2, 1, 2, 16, **LAYER)
    assert attributes(found) == attributes(expected)
    shapes = {name: one.shape for name, one in expected.state_dict().items()}
    assert {name: one.shape for name, one in found.state_dict().items()} == shapes
    given = nn.Identity()
    assert (
        made(nn.Transformer, module.transformer, 8, 2, custom_encoder=given, custom_decoder=given)[1].encoder is given
    )


@pytest.mark.parametrize("options", [{"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 4}, {"vdim": 4}])
def test_what_the_forwards_do_not_compute_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(NotImplementedError):
        made(nn.MultiheadAttention, module.attention, 8, 2, **options)
    assert constructors(nn.MultiheadAttention(8, 2, **options)) == {}


def test_layers_with_other_parts_keep_their_constructors() -> None:
    other = nn.TransformerEncoderLayer(8, 2, activation=torch.tanh)
    assert set(constructors(nn.TransformerEncoder(other, 1, enable_nested_tensor=False))) == {
        nn.MultiheadAttention,
        nn.TransformerDecoderLayer,
        nn.TransformerDecoder,
    }
    gelu = nn.Transformer(8, 2, 1, 1, activation="gelu", batch_first=True)
    assert not {nn.Transformer, nn.TransformerDecoderLayer} & set(constructors(gelu))


def test_a_parent_is_translated_with_its_arguments(ported: Callable[..., Port]) -> None:
    port = ported(attending.Padded, torch.tensor([[1, 2, 0]]))
    assert {one.how for one in port.wrote if one.constructs} == {"source"}
    assert "encoder = new TransformerEncoder(layer, 2, norm: LayerNorm(width)" in port.files["Padded.cs"]
    text = port.files["TransformerEncoderLayer.cs"]
    assert "new MultiheadAttention(d_model, nhead, dropout: dropout, bias: bias, batch_first: batch_first)" in text


class Changed(nn.Module):
    """Attention of which the factory changes an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.attention(x, x, x, need_weights=False)[0]  # type: ignore[no-any-return]  # a module's result is Any


def changed() -> nn.Module:
    model = Changed()
    model.attention.dropout = 0.5
    return model


def test_what_is_changed_after_its_constructor_is_made_from_its_instances(ported: Callable[..., Port]) -> None:
    how = {one.where: one.how for one in ported(changed, X).wrote}
    assert how["MultiheadAttention.__init__"] == how["Changed.__init__"] == "instances"
    assert "dropout = 0.5;" in ported(changed, X).files["MultiheadAttention.cs"]


class Cloned(nn.Module):
    """Layers of which the first is changed before it is copied."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        layer.norm1.eps = 0.1
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.encoder(x)  # type: ignore[no-any-return]  # a module's result is Any


def test_copies_have_the_arguments_of_what_they_are_copies_of() -> None:
    model, given = construct(lambda: attending.Padded(), constructors)
    assert [given[one]["norm_first"] for one in model.encoder.layers] == [True, True]
    model, given = construct(Cloned, constructors)
    assert all(one not in given for one in model.encoder.layers), "changed before"


def test_pytorchs_constructors_are_as_before() -> None:
    before = nn.MultiheadAttention.__init__
    construct(attending.Causal, constructors)
    assert nn.MultiheadAttention.__init__ is before
