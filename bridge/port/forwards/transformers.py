"""``nn.TransformerEncoder`` and its layers as classes of the project, where TorchSharp's are not enough: forwards in plain operators.

As in :mod:`bridge.port.forwards.attention`, these functions replace PyTorch's forwards. In eval mode without gradients, PyTorch runs a
layer without masks as one fused operator, which calls no child; these functions compute the same, also without calling children.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.forwards.attention import added, fused_attention
from bridge.port.observe.substitutes import is_causal_mask, steps_of

#: Whether PyTorch has a fused operator for the layers of the model, and uses it.
FUSED = True
#: Whether each activation of the model's layers is a ReLU or a GELU, so that a number can identify it.
NAMED = True


def encoder_layer(
    self: Any,
    src: torch.Tensor,
    src_mask: torch.Tensor | None = None,
    src_key_padding_mask: torch.Tensor | None = None,
    is_causal: bool = False,
) -> torch.Tensor:
    """Apply self-attention and two linear layers, each beside a shortcut."""
    unmasked = src_mask is None and src_key_padding_mask is None
    if FUSED and unmasked and not self.training and not torch.is_grad_enabled():
        x = src
        if self.norm_first:
            x = F.layer_norm(x, x.shape[-1:], self.norm1.weight, self.norm1.bias, self.norm1.eps)
        x, _ = fused_attention(
            x,
            self.self_attn.in_proj_weight,
            self.self_attn.in_proj_bias,
            self.self_attn.out_proj.weight,
            self.self_attn.out_proj.bias,
            self.self_attn.num_heads,
        )
        x = x + src
        if not self.norm_first:
            x = F.layer_norm(x, x.shape[-1:], self.norm1.weight, self.norm1.bias, self.norm1.eps)
        y = x
        if self.norm_first:
            y = F.layer_norm(y, y.shape[-1:], self.norm2.weight, self.norm2.bias, self.norm2.eps)
        y = F.linear(y, self.linear1.weight, self.linear1.bias)
        if NAMED:  # noqa: SIM108  # so it is written in C#, too
            y = F.relu(y) if self.activation_relu_or_gelu == 1 else F.gelu(y)
        else:
            y = self.activation(y)
        y = F.linear(y, self.linear2.weight, self.linear2.bias) + x
        if self.norm_first:
            return y
        return F.layer_norm(y, y.shape[-1:], self.norm2.weight, self.norm2.bias, self.norm2.eps)
    mask = None if src_mask is None else added(src_mask, src)
    padding = None if src_key_padding_mask is None else added(src_key_padding_mask, src)
    x = self.norm1(src) if self.norm_first else src
    x, _ = self.self_attn(x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False)
    x = src + self.dropout1(x)
    if not self.norm_first:
        x = self.norm1(x)
    y = self.norm2(x) if self.norm_first else x
    y = self.linear1(y)
    if NAMED:  # noqa: SIM108  # so it is written in C#, too
        y = F.relu(y) if self.activation_relu_or_gelu == 1 else F.gelu(y)
    else:
        y = self.activation(y)
    y = self.linear2(self.dropout(y))
    x = x + self.dropout2(y)
    return x if self.norm_first else self.norm2(x)  # type: ignore[no-any-return]  # a module's result is Any


def encoder(
    self: Any,
    src: torch.Tensor,
    mask: torch.Tensor | None = None,
    src_key_padding_mask: torch.Tensor | None = None,
    is_causal: bool | None = None,
) -> torch.Tensor:
    """Apply one layer after the other."""
    x = src
    bias = None if mask is None else added(mask, src)
    padding = None if src_key_padding_mask is None else added(src_key_padding_mask, src)
    causal = False
    if bias is not None:
        causal = is_causal_mask(bias, is_causal, steps_of(src, self.layers[0].self_attn.batch_first))
    for layer in self.layers:
        x = layer(x, src_mask=bias, src_key_padding_mask=padding, is_causal=causal)
    if self.norm is not None:
        x = self.norm(x)
    return x


def forwards(model: nn.Module, masked: bool) -> dict[type[nn.Module], FunctionType]:
    """Return the forwards that take the place of PyTorch's in this model; none for layers of which only some have a fused operator."""
    layers = [one for one in model.modules() if isinstance(one, nn.TransformerEncoderLayer)]
    fused = {_fused(one) and not masked for one in layers}
    found: dict[type[nn.Module], FunctionType] = {nn.TransformerEncoder: _with(encoder)}
    if len(fused) == 1:
        found[nn.TransformerEncoderLayer] = _with(encoder_layer, FUSED=fused.pop(), NAMED=has_named_activations(layers))
    return found


def has_named_activations(layers: Iterable[nn.Module]) -> bool:
    """Return whether the activation of each layer is PyTorch's function of a ReLU or a GELU."""
    return all(one.activation in (F.relu, F.gelu) for one in layers)


def _with(function: Any, **constants: bool) -> FunctionType:
    return FunctionType(function.__code__, {**globals(), **constants}, function.__name__, function.__defaults__)


def _fused(layer: nn.TransformerEncoderLayer) -> bool:
    attention = layer.self_attn
    return bool(
        attention.batch_first
        and attention.in_proj_bias is not None
        and attention._qkv_same_embed_dim
        and attention.num_heads % 2 == 0
        and layer.activation_relu_or_gelu
        and layer.norm1.eps == layer.norm2.eps
    )
