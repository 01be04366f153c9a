"""``nn.MultiheadAttention`` as a class of the project, where TorchSharp's is not enough: its forward in plain operators.

The functions below replace PyTorch's forward while runs are observed, and are translated like a model's own source. They compute in the
same order as ``torch.nn.functional.multi_head_attention_forward``, or, in eval mode without gradients, as PyTorch's fused kernel
(``torch._native_multi_head_attention``), which rounds differently; so results are equal bit by bit in both cases. With masks, the kernel
uses an exponential function that no operator has: such a model is translated and compared without the kernel (:func:`without_fused`).
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from types import FunctionType
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.observe.state import keep_state as as_before

#: The classes of modules that attend, or that consist of modules that do.
ATTENDING: Final = {
    nn.MultiheadAttention,
    nn.TransformerEncoderLayer,
    nn.TransformerEncoder,
    nn.TransformerDecoderLayer,
    nn.TransformerDecoder,
    nn.Transformer,
}
#: Which calls the model makes: with one tensor (self-attention), with a query and one other tensor, with three tensors. The copy of the
#: forward for a model has its own values of these constants.
ONE, PAIR, THREE = True, True, True
#: Whether PyTorch uses its fused kernel.
FUSED = True


def attention(
    self: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    key_padding_mask: torch.Tensor | None = None,
    need_weights: bool = True,
    attn_mask: torch.Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Attend with several heads; the weights are given if asked for. Query: [n, t, width], or [t, n, width] without batch_first."""
    assert THREE or key is value, "attention to three tensors, which no run of the original showed"
    assert PAIR or THREE or query is key, "attention to another tensor, which no run of the original showed"
    unmasked = attn_mask is None and key_padding_mask is None
    fused = self.batch_first and self.num_heads % 2 == 0 and self.in_proj_bias is not None
    if FUSED and ONE and fused and unmasked and not self.training and not torch.is_grad_enabled():  # noqa: SIM102  # so it is written in C#, too
        if not (PAIR or THREE) or (query is key and key is value):
            result, each = fused_attention(
                query,
                self.in_proj_weight,
                self.in_proj_bias,
                self.out_proj.weight,
                self.out_proj.bias,
                self.num_heads,
            )
            if not need_weights:
                return result, None
            return result, each.sum(1) / self.num_heads if average_attn_weights else each
    bias = self.in_proj_bias
    if ONE and (not (PAIR or THREE) or (query is key and key is value)):
        x = query.transpose(0, 1) if self.batch_first else query
        q, k, v = F.linear(x, self.in_proj_weight, bias).chunk(3, dim=-1)
    elif PAIR and (not THREE or key is value):
        size = query.shape[-1]
        x = query.transpose(0, 1) if self.batch_first else query
        y = key.transpose(0, 1) if self.batch_first else key
        q = F.linear(x, self.in_proj_weight[:size], None if bias is None else bias[:size])
        k, v = F.linear(y, self.in_proj_weight[size:], None if bias is None else bias[size:]).chunk(2, dim=-1)
    else:
        x = query.transpose(0, 1) if self.batch_first else query
        y = key.transpose(0, 1) if self.batch_first else key
        z = value.transpose(0, 1) if self.batch_first else value
        wq, wk, wv = self.in_proj_weight.chunk(3)
        bq, bk, bv = (None, None, None) if bias is None else bias.chunk(3)
        q = F.linear(x, wq, bq)
        k = F.linear(y, wk, bk)
        v = F.linear(z, wv, bv)
    steps, batch, size = q.shape
    keys = k.shape[0]
    mask: torch.Tensor | None = None
    if attn_mask is not None:
        mask = added(attn_mask, q)
        mask = mask.unsqueeze(0) if mask.dim() == 2 else mask
    if key_padding_mask is not None:
        padding = added(key_padding_mask, q).view(batch, 1, 1, keys).expand(-1, self.num_heads, -1, -1)
        padding = padding.reshape(batch * self.num_heads, 1, keys)
        mask = padding if mask is None else mask + padding
    if need_weights:
        q = q.reshape(steps, batch * self.num_heads, self.head_dim).transpose(0, 1) * math.sqrt(1.0 / self.head_dim)
        k = k.reshape(keys, batch * self.num_heads, self.head_dim).transpose(0, 1).transpose(-2, -1)
        v = v.reshape(keys, batch * self.num_heads, self.head_dim).transpose(0, 1)
        weights = F.softmax(torch.bmm(q, k) if mask is None else torch.baddbmm(mask, q, k), dim=-1)
        weights = F.dropout(weights, p=self.dropout, training=self.training)
        x = torch.bmm(weights, v).transpose(0, 1).reshape(steps * batch, size)
        x = F.linear(x, self.out_proj.weight, self.out_proj.bias).view(steps, batch, size)
        weights = weights.view(batch, self.num_heads, steps, keys)
        if average_attn_weights:
            weights = weights.mean(dim=1)
        return x.transpose(0, 1) if self.batch_first else x, weights
    q = q.reshape(steps, batch, self.num_heads, self.head_dim).permute(1, 2, 0, 3)
    k = k.reshape(keys, batch, self.num_heads, self.head_dim).permute(1, 2, 0, 3)
    v = v.reshape(keys, batch, self.num_heads, self.head_dim).permute(1, 2, 0, 3)
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(batch, self.num_heads, -1, keys)
        x = F.scaled_dot_product_attention(q, k, v, mask, self.dropout if self.training else 0.0)
    else:
        x = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0)
    x = x.permute(2, 0, 1, 3).reshape(steps * batch, size)
    x = F.linear(x, self.out_proj.weight, self.out_proj.bias).view(steps, batch, size)
    return x.transpose(0, 1) if self.batch_first else x, None


def fused_attention(
    x: torch.Tensor,
    in_weight: torch.Tensor,
    in_bias: torch.Tensor,
    out_weight: torch.Tensor,
    out_bias: torch.Tensor,
    heads: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attend to the input itself as PyTorch's fused kernel rounds it, which it takes in eval mode without gradients."""
    batch, steps, size = x.shape
    width = size // heads
    packed = x.matmul(in_weight.t()) + in_bias
    parts = packed.view(batch, steps, 3, heads, width).permute(2, 0, 3, 1, 4)
    q, k, v = parts.reshape(3, batch * heads, steps, width).unbind(0)
    q = q * (1.0 / math.sqrt(width))
    weights = torch.bmm(q, k.transpose(1, 2)).softmax(-1)
    x = torch.bmm(weights, v).view(batch, heads, steps, width).transpose(1, 2).reshape(batch, steps, size)
    return F.linear(x, out_weight, out_bias), weights.view(batch, heads, steps, steps)


def added(mask: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return a mask as what is added to the scores: minus infinity where it is true."""
    if mask.dtype == torch.bool:
        return torch.zeros_like(mask, dtype=x.dtype).masked_fill(mask, float("-inf"))
    return mask


def forwards(calls: Collection[str]) -> dict[type[nn.Module], FunctionType]:
    """Return the forward that takes the place of PyTorch's where a model calls its modules so, by class.

    Empty where a module has what is not written here, such as a bias of the keys.
    """
    if not calls or "odd" in calls:
        return {}
    kinds = {word.upper(): word in calls for word in ("one", "pair", "three")}
    kinds["FUSED"] = "masked" not in calls
    made = FunctionType(attention.__code__, {**globals(), **kinds}, "attention", attention.__defaults__)
    return {nn.MultiheadAttention: made}


def is_masked(model: nn.Module, arguments: Mapping[str, Any]) -> bool:
    """Return whether the model attends with masks, which PyTorch's fused kernels compute otherwise than its operators."""
    return "masked" in calls_in(model, arguments)


@contextmanager
def without_fused(wanted: bool = True) -> Iterator[None]:
    """Let PyTorch attend by its operators within, not by its fused kernels, if that is ``wanted``."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(before and not wanted)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


def calls_in(model: nn.Module, arguments: Mapping[str, Any]) -> set[str]:
    """Return how the modules of MultiheadAttention are called; the model is run once for that, if it has some.

    ``one``, ``pair`` and ``three`` tensors; ``masked``, which PyTorch's fused kernels compute otherwise than its operators; ``odd``: not
    written here.
    """
    modules = [one for one in model.modules() if isinstance(one, nn.MultiheadAttention)]
    if not modules:
        return set()
    calls = {"odd" for one in modules if one.bias_k is not None or one.add_zero_attn or not one._qkv_same_embed_dim}
    with ExitStack() as hooks, torch.no_grad(), torch.random.fork_rng(devices=()), as_before(model), without_fused():
        for one in modules:
            hooks.callback(one.register_forward_pre_hook(partial(_noted, calls), with_kwargs=True).remove)
        model.eval()(**arguments)
    return calls


def _noted(calls: set[str], module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    given = inspect.signature(attention).bind(module, *args, **kwargs).arguments
    query, key, value, mask = given["query"], given["key"], given["value"], given.get("attn_mask")
    if query.dim() != 3 or (mask is not None and mask.dim() == 3):
        calls.add("odd")
    if mask is not None or given.get("key_padding_mask") is not None:
        calls.add("masked")
    calls.add("three" if key is not value else "pair" if query is not key else "one")
