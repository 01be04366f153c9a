"""Functions that run instead of those of PyTorch that TorchSharp lacks or has wrong, and are translated as a model's functions are."""

from __future__ import annotations

import math
import types
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import _reduction
from torch.nn.modules import transformer

from bridge.port.observe.custom_gradients import is_custom, plain_function


def causal_mask(size: int, device: torch.device | None = None, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return the mask that keeps a position from attending to a later one: minus infinity above the diagonal."""
    return torch.triu(torch.full((size, size), float("-inf"), dtype=dtype, device=device), diagonal=1)


def steps_of(x: torch.Tensor, batch_first: bool) -> int:
    """Return the length of a sequence."""
    return x.shape[1 if batch_first else 0]


def is_causal_mask(mask: torch.Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
    """Return whether a mask is the causal one, where ``is_causal`` does not say it."""
    if is_causal is not None:
        return is_causal
    if mask is None:
        return False
    causal = causal_mask(mask.shape[0] if size is None else size, mask.device, mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


def gaussian_nll_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    var: torch.Tensor,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> torch.Tensor:
    """Return the negative log likelihood of targets, of Gaussian distributions with these means and variances."""
    if var.dim() < input.dim():
        var = var.unsqueeze(-1)
    if bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    if reduction == "mean":
        return loss.mean()
    return loss.sum() if reduction == "sum" else loss


def embedding_bag(
    input: torch.Tensor,
    weight: torch.Tensor,
    offsets: torch.Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: torch.Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> torch.Tensor:
    """Return the sum, mean or maximum of each bag of rows: the rows of ``input``, or a vector's parts, which begin at ``offsets``."""
    if max_norm is not None or scale_grad_by_freq or include_last_offset or padding_idx is not None:
        raise ValueError("embedding_bag with max_norm, scale_grad_by_freq, include_last_offset or padding_idx")
    rows = F.embedding(input, weight)
    if per_sample_weights is not None:
        if mode != "sum":
            raise ValueError("per_sample_weights of other bags than sums")
        rows = rows * per_sample_weights.unsqueeze(-1)
    if (input.dim() == 1) == (offsets is None):
        raise ValueError("indices of bags are a matrix, or a vector with offsets")
    if offsets is not None:
        if mode == "max":
            raise ValueError("maxima of bags with offsets")
        count = offsets.shape[0]
        places = torch.arange(input.shape[0], dtype=offsets.dtype, device=offsets.device)
        bags = torch.searchsorted(offsets, places, right=True) - 1
    else:
        if input.shape[1] == 0:
            raise ValueError("bags without indices")
        if mode == "max":
            return rows.max(dim=1)[0]
        count = input.shape[0]
        bags = torch.arange(count, device=input.device).repeat_interleave(input.shape[1])
        rows = rows.flatten(0, 1)
    total = torch.zeros(count, weight.shape[1], dtype=weight.dtype, device=weight.device)
    total = total.index_add(0, bags, rows)  # one after the other, as PyTorch does
    if mode == "sum":
        return total
    numbers = torch.bincount(bags, minlength=count).clamp(min=1)
    return total / numbers.unsqueeze(-1)


def rms_norm(
    input: torch.Tensor,
    normalized_shape: list[int],
    weight: torch.Tensor | None = None,
    eps: float | None = None,
) -> torch.Tensor:
    """Return the input divided by the root of the mean of squares over the last dimensions, as many as ``normalized_shape`` has."""
    x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
    dims = [-1 - place for place in range(len(normalized_shape))]
    least = torch.finfo(x.dtype).eps if eps is None else eps
    x = x * torch.rsqrt(x.pow(2).mean(dim=dims, keepdim=True) + least)
    if weight is not None:
        x = x * weight
    x = x.to(input.dtype)
    # As PyTorch does: the result keeps the layout "channels last" alone, and sums of later layers depend on the layout.
    return x if x.dim() > 3 and x.stride(1) == 1 else x.contiguous()


def grouped_mm(
    mat_a: torch.Tensor,
    mat_b: torch.Tensor,
    *,
    offs: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """Return the product of each group of rows, which ends before its number in ``offs``, with its own matrix."""
    if offs is None or bias is not None or out_dtype is not None or mat_a.dim() != 2 or mat_b.dim() != 3:
        raise ValueError("grouped_mm of other things than the rows of a matrix, or with bias or out_dtype")
    parts: list[torch.Tensor] = []
    start = 0
    for group, end in enumerate(offs.tolist()):
        parts.append(torch.mm(mat_a[start:end], mat_b[group]))
        start = end
    parts.append(mat_a.new_zeros(mat_a.shape[0] - start, mat_b.shape[2]))
    return torch.cat(parts)


def reduction_number(reduction: str) -> int:
    """Return the number of a way to reduce a loss."""
    if reduction == "none":
        return 0
    if reduction in ("mean", "elementwise_mean"):
        return 1
    if reduction == "sum":
        return 2
    raise ValueError(f"{reduction} is not a valid value for reduction")


_SUBSTITUTES: Final[dict[Any, Any]] = {
    nn.Transformer.generate_square_subsequent_mask: causal_mask,
    transformer._generate_square_subsequent_mask: causal_mask,
    transformer._get_seq_len: steps_of,
    transformer._detect_is_causal_mask: is_causal_mask,
    F.gaussian_nll_loss: gaussian_nll_loss,
    F.embedding_bag: embedding_bag,
    F.grouped_mm: grouped_mm,
    F.rms_norm: rms_norm,
    _reduction.get_enum: reduction_number,
}


def substitute(value: Any) -> Any:
    """Return the function that runs instead of one of PyTorch's, or of the ``apply`` of a custom Function; any other value as it is."""
    if is_custom(value):
        return plain_function(value.__self__) or value
    return _SUBSTITUTES.get(value, value) if isinstance(value, types.FunctionType) else value
