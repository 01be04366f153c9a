"""Functions that run instead of those of PyTorch that TorchSharp lacks or has wrong, and are translated as a model's functions are."""

from __future__ import annotations

import math
import types
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules import transformer


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


_SUBSTITUTES: Final[dict[Any, Any]] = {
    nn.Transformer.generate_square_subsequent_mask: causal_mask,
    transformer._generate_square_subsequent_mask: causal_mask,
    transformer._get_seq_len: steps_of,
    transformer._detect_is_causal_mask: is_causal_mask,
    F.gaussian_nll_loss: gaussian_nll_loss,
}


def substitute(value: Any) -> Any:
    """Return the function that runs instead of one of PyTorch's; any other value as it is."""
    return _SUBSTITUTES.get(value, value) if isinstance(value, types.FunctionType) else value
