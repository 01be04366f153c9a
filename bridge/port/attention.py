"""``nn.MultiheadAttention(batch_first=True)``, which TorchSharp cannot make: a class of the project, from its forward in plain operators.

The functions below take the place of PyTorch's forward while a run is watched, and are translated as a model's own source is. They do,
in its order, what PyTorch does: ``torch.nn.functional.multi_head_attention_forward``, or, in eval mode without gradients, its fused kernel
(``torch._native_multi_head_attention``), whose roundings are others. So results are the same to the bit in either.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.port_errors import Unwritable


def without_weights(
    self: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, need_weights: bool = True
) -> tuple[torch.Tensor, None]:
    """Self-attention, batch first. The weights are not given: need_weights is false."""
    assert query is key
    assert key is value
    assert not need_weights
    if self.in_proj_bias is not None and self.num_heads % 2 == 0 and not self.training and not torch.is_grad_enabled():
        result, _ = fused_attention(
            query, self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias, self.num_heads
        )
        return result, None
    x = query.transpose(0, 1)
    steps, batch, size = x.shape
    q, k, v = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
    q = q.reshape(steps, batch, self.num_heads, self.head_dim).permute(1, 2, 0, 3)
    k = k.reshape(steps, batch, self.num_heads, self.head_dim).permute(1, 2, 0, 3)
    v = v.reshape(steps, batch, self.num_heads, self.head_dim).permute(1, 2, 0, 3)
    x = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0)
    x = x.permute(2, 0, 1, 3).reshape(steps * batch, size)
    x = F.linear(x, self.out_proj.weight, self.out_proj.bias).view(steps, batch, size)
    return x.transpose(0, 1), None


def with_weights(
    self: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, need_weights: bool = True
) -> tuple[torch.Tensor, torch.Tensor]:
    """Self-attention, batch first, and its weights: their mean over the heads."""
    assert query is key
    assert key is value
    assert need_weights
    if self.in_proj_bias is not None and self.num_heads % 2 == 0 and not self.training and not torch.is_grad_enabled():
        result, each = fused_attention(
            query, self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias, self.num_heads
        )
        return result, each.sum(1) / self.num_heads
    x = query.transpose(0, 1)
    steps, batch, size = x.shape
    q, k, v = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
    q = q.reshape(steps, batch * self.num_heads, self.head_dim).transpose(0, 1)
    k = k.reshape(steps, batch * self.num_heads, self.head_dim).transpose(0, 1)
    v = v.reshape(steps, batch * self.num_heads, self.head_dim).transpose(0, 1)
    q = q * math.sqrt(1.0 / self.head_dim)
    weights = F.softmax(torch.bmm(q, k.transpose(-2, -1)), dim=-1)
    weights = F.dropout(weights, p=self.dropout, training=self.training)
    x = torch.bmm(weights, v).transpose(0, 1).reshape(steps * batch, size)
    x = F.linear(x, self.out_proj.weight, self.out_proj.bias).view(steps, batch, size)
    return x.transpose(0, 1), weights.view(batch, self.num_heads, steps, steps).mean(dim=1)


def fused_attention(
    x: torch.Tensor,
    in_weight: torch.Tensor,
    in_bias: torch.Tensor,
    out_weight: torch.Tensor,
    out_bias: torch.Tensor,
    heads: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Self-attention as PyTorch's fused kernel rounds it, which it takes in eval mode without gradients."""
    batch, steps, size = x.shape
    width = size // heads
    packed = x.matmul(in_weight.t()) + in_bias
    q, k, v = packed.view(batch, steps, 3, heads, width).permute(2, 0, 3, 1, 4).reshape(3, -1, steps, width).unbind(0)
    q = q * (1.0 / math.sqrt(width))
    weights = torch.bmm(q, k.transpose(1, 2)).softmax(-1)
    x = torch.bmm(weights, v).view(batch, heads, steps, width).transpose(1, 2).reshape(batch, steps, size)
    return F.linear(x, out_weight, out_bias), weights.view(batch, heads, steps, steps)


def forwards(model: nn.Module, arguments: Mapping[str, Any]) -> dict[type[nn.Module], FunctionType]:
    """The forward that takes the place of PyTorch's, for classes of PyTorch's that become classes of the project.

    Runs the model once, where it has such a module. Raises Unwritable where one is called in a way that is not written here.
    """
    modules = [(name, one) for name, one in model.named_modules() if isinstance(one, nn.MultiheadAttention)]
    if not any(one.batch_first for _, one in modules):
        return {}
    asked: set[bool] = set()
    handles = [one.register_forward_pre_hook(_asking(name, asked), with_kwargs=True) for name, one in modules]
    try:
        with torch.no_grad():
            model(**arguments)
    finally:
        for handle in handles:
            handle.remove()
    for name, one in modules:
        odd = [word for word in ("bias_k", "q_proj_weight") if getattr(one, word) is not None]
        odd += ["add_zero_attn"] * one.add_zero_attn + ["batch_first=False"] * (not one.batch_first)
        if odd:
            raise Unwritable(f"{name} is a MultiheadAttention with {odd[0]} in a model that has batch_first=True.")
    if len(asked) > 1:
        raise Unwritable(
            "modules of MultiheadAttention(batch_first=True) give their weights in some calls, not in others."
        )
    forward = with_weights if asked == {True} else without_weights
    assert isinstance(forward, FunctionType)
    return {nn.MultiheadAttention: forward}


def _asking(name: str, asked: set[bool]) -> Any:
    def hook(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        order = (
            "query",
            "key",
            "value",
            "key_padding_mask",
            "need_weights",
            "attn_mask",
            "average_attn_weights",
            "is_causal",
        )
        given = dict(zip(order, args, strict=False)) | kwargs
        query = given["query"]
        what = [word for word in ("key_padding_mask", "attn_mask") if given.get(word) is not None]
        what += ["average_attn_weights=False"] * (not given.get("average_attn_weights", True))
        if given["key"] is not query or given["value"] is not query or query.dim() != 3:
            what.append("another query than key and value, or without a batch")
        if what:
            raise Unwritable(
                f"{name} is MultiheadAttention(batch_first=True), and called with {what[0]}: TorchSharp has none."
            )
        asked.add(given.get("need_weights", True))

    return hook
