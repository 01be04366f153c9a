"""Constructors of PyTorch's attention and of its transformers: they replace PyTorch's own while the constructors of a model are observed.

They have PyTorch's parameters, and make the same parts with the same distributions of initial values. They refuse arguments that the
forwards of this folder do not support, such as a bias of the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear

from bridge.port.forwards.transformers import has_named_activations


def attention(
    self: Any,
    embed_dim: int,
    num_heads: int,
    dropout: float = 0.0,
    bias: bool = True,
    add_bias_kv: bool = False,
    add_zero_attn: bool = False,
    kdim: int | None = None,
    vdim: int | None = None,
    batch_first: bool = False,
    device: None = None,
    dtype: None = None,
) -> None:
    """Make the parts of an attention whose queries, keys and values have one width."""
    nn.Module.__init__(self)
    if embed_dim <= 0 or num_heads <= 0:
        raise ValueError("embed_dim and num_heads must be greater than 0")
    if embed_dim % num_heads != 0:
        raise ValueError("embed_dim must be divisible by num_heads")
    if add_bias_kv or add_zero_attn:
        raise NotImplementedError("add_bias_kv and add_zero_attn")
    if (kdim is not None and kdim != embed_dim) or (vdim is not None and vdim != embed_dim):
        raise NotImplementedError("keys and values of another width than the queries'")
    self.embed_dim = embed_dim
    self.num_heads = num_heads
    self.dropout = dropout
    self.batch_first = batch_first
    self.head_dim = embed_dim // num_heads
    self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
    if bias:
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim))
    else:
        self.register_parameter("in_proj_bias", None)
    self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias)
    nn.init.xavier_uniform_(self.in_proj_weight)
    if bias:
        nn.init.zeros_(self.out_proj.bias)


def encoder_layer(
    self: Any,
    d_model: int,
    nhead: int,
    dim_feedforward: int = 2048,
    dropout: float = 0.1,
    activation: Any = "relu",
    layer_norm_eps: float = 1e-5,
    batch_first: bool = False,
    norm_first: bool = False,
    bias: bool = True,
    device: None = None,
    dtype: None = None,
) -> None:
    """Make the attention, the linear layers and the norms of a layer whose activation is a ReLU or a GELU."""
    nn.Module.__init__(self)
    self.self_attn = nn.MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
    self.linear1 = nn.Linear(d_model, dim_feedforward, bias=bias)
    self.dropout = nn.Dropout(dropout)
    self.linear2 = nn.Linear(dim_feedforward, d_model, bias=bias)
    self.norm_first = norm_first
    self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.dropout1 = nn.Dropout(dropout)
    self.dropout2 = nn.Dropout(dropout)
    name = activation if isinstance(activation, str) else activation.__name__
    if name == "relu":
        self.activation_relu_or_gelu = 1
    elif name == "gelu":
        self.activation_relu_or_gelu = 2
    else:
        raise ValueError("activation must be relu or gelu")


def encoder(
    self: Any,
    encoder_layer: nn.TransformerEncoderLayer,
    num_layers: int,
    norm: nn.Module | None = None,
    enable_nested_tensor: bool = True,
    mask_check: bool = True,
) -> None:
    """Make layers like the given one, with its values."""
    nn.Module.__init__(self)
    layers = []
    for _ in range(num_layers):
        layer = nn.TransformerEncoderLayer(
            encoder_layer.self_attn.embed_dim,
            encoder_layer.self_attn.num_heads,
            encoder_layer.linear1.out_features,
            encoder_layer.self_attn.dropout,
            "relu" if encoder_layer.activation_relu_or_gelu == 1 else "gelu",
            encoder_layer.norm1.eps,
            encoder_layer.self_attn.batch_first,
            encoder_layer.norm_first,
            encoder_layer.self_attn.in_proj_bias is not None,
        )
        with torch.no_grad():
            for made, given in zip(layer.parameters(), encoder_layer.parameters(), strict=True):
                made.copy_(given)
        layers.append(layer)
    self.layers = nn.ModuleList(layers)
    self.num_layers = num_layers
    self.norm = norm


def decoder_layer(
    self: Any,
    d_model: int,
    nhead: int,
    dim_feedforward: int = 2048,
    dropout: float = 0.1,
    activation: Any = F.relu,
    layer_norm_eps: float = 1e-5,
    batch_first: bool = False,
    norm_first: bool = False,
    bias: bool = True,
    device: None = None,
    dtype: None = None,
) -> None:
    """Make both attentions, the linear layers and the norms of a layer."""
    nn.Module.__init__(self)
    self.self_attn = nn.MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
    self.multihead_attn = nn.MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
    self.linear1 = nn.Linear(d_model, dim_feedforward, bias=bias)
    self.dropout = nn.Dropout(dropout)
    self.linear2 = nn.Linear(dim_feedforward, d_model, bias=bias)
    self.norm_first = norm_first
    self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
    self.dropout1 = nn.Dropout(dropout)
    self.dropout2 = nn.Dropout(dropout)
    self.dropout3 = nn.Dropout(dropout)
    self.activation = activation


def decoder(
    self: Any, decoder_layer: nn.TransformerDecoderLayer, num_layers: int, norm: nn.Module | None = None
) -> None:
    """Make layers like the given one, with its values."""
    nn.Module.__init__(self)
    layers = []
    for _ in range(num_layers):
        layer = nn.TransformerDecoderLayer(
            decoder_layer.self_attn.embed_dim,
            decoder_layer.self_attn.num_heads,
            decoder_layer.linear1.out_features,
            decoder_layer.self_attn.dropout,
            layer_norm_eps=decoder_layer.norm1.eps,
            batch_first=decoder_layer.self_attn.batch_first,
            norm_first=decoder_layer.norm_first,
            bias=decoder_layer.self_attn.in_proj_bias is not None,
        )
        with torch.no_grad():
            for made, given in zip(layer.parameters(), decoder_layer.parameters(), strict=True):
                made.copy_(given)
        layers.append(layer)
    self.layers = nn.ModuleList(layers)
    self.num_layers = num_layers
    self.norm = norm


def transformer(
    self: Any,
    d_model: int = 512,
    nhead: int = 8,
    num_encoder_layers: int = 6,
    num_decoder_layers: int = 6,
    dim_feedforward: int = 2048,
    dropout: float = 0.1,
    activation: Any = F.relu,
    custom_encoder: Any = None,
    custom_decoder: Any = None,
    layer_norm_eps: float = 1e-5,
    batch_first: bool = False,
    norm_first: bool = False,
    bias: bool = True,
    device: None = None,
    dtype: None = None,
) -> None:
    """Make an encoder and a decoder of PyTorch's layers, whose activation is a ReLU."""
    nn.Module.__init__(self)
    if isinstance(activation, str) and activation != "relu":
        raise ValueError("activation must be relu")
    if custom_encoder is not None:
        self.encoder = custom_encoder
    else:
        first = nn.TransformerEncoderLayer(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            layer_norm_eps=layer_norm_eps,
            batch_first=batch_first,
            norm_first=norm_first,
            bias=bias,
        )
        norm = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.encoder = nn.TransformerEncoder(first, num_encoder_layers, norm)
    if custom_decoder is not None:
        self.decoder = custom_decoder
    else:
        layer = nn.TransformerDecoderLayer(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            layer_norm_eps=layer_norm_eps,
            batch_first=batch_first,
            norm_first=norm_first,
            bias=bias,
        )
        last = nn.LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.decoder = nn.TransformerDecoder(layer, num_decoder_layers, last)
    self.d_model = d_model
    self.nhead = nhead
    self.batch_first = batch_first
    for parameter in self.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)


def constructors(model: nn.Module) -> dict[type[nn.Module], FunctionType]:
    """Return the constructors that replace PyTorch's, except for a class of which the model has a module that they cannot make."""
    every = list(model.modules())
    attending = [one for one in every if isinstance(one, nn.MultiheadAttention)]
    if any(one.bias_k is not None or one.add_zero_attn or not one._qkv_same_embed_dim for one in attending):
        return {}
    found: dict[type[nn.Module], Any] = {nn.MultiheadAttention: attention}
    if has_named_activations(one for one in every if isinstance(one, nn.TransformerEncoderLayer)):
        found[nn.TransformerEncoderLayer] = encoder_layer
        if _consists_of(every, nn.TransformerEncoder, nn.TransformerEncoderLayer):
            found[nn.TransformerEncoder] = encoder
    if all(one.activation is F.relu for one in every if isinstance(one, nn.TransformerDecoderLayer)):
        found[nn.TransformerDecoderLayer] = decoder_layer
        if _consists_of(every, nn.TransformerDecoder, nn.TransformerDecoderLayer):
            found[nn.TransformerDecoder] = decoder
    wholes = [one for one in every if isinstance(one, nn.Transformer)]
    if nn.TransformerEncoder in found and nn.TransformerDecoder in found and all(map(_is_usual, wholes)):
        found[nn.Transformer] = transformer
    return found


def _consists_of(modules: Sequence[nn.Module], kind: type[nn.Module], part: type[nn.Module]) -> bool:
    """Return whether the stacks of a class hold layers of PyTorch's class only."""
    return all(type(layer) is part for one in modules if isinstance(one, kind) for layer in cast(Any, one).layers)


def _is_usual(whole: nn.Transformer) -> bool:
    """Return whether an encoder and a decoder are PyTorch's, with ReLUs."""
    usual = type(whole.encoder) is nn.TransformerEncoder and type(whole.decoder) is nn.TransformerDecoder
    return usual and all(one.activation is F.relu for one in whole.encoder.layers)
