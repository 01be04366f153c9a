"""Functions of PyTorch's own that TorchSharp lacks: these run in their places, and are translated as a model's functions are."""

from __future__ import annotations

import types
from typing import Any, Final

import torch
from torch import nn
from torch.nn.modules import transformer


def causal_mask(size: int, device: torch.device | None = None, dtype: torch.dtype | None = None) -> torch.Tensor:
    """What is added to scores so that no position attends to a later one: minus infinity above the diagonal."""
    return torch.triu(torch.full((size, size), float("-inf"), dtype=dtype, device=device), diagonal=1)


def steps_of(x: torch.Tensor, batch_first: bool) -> int:
    """How long a sequence is."""
    return x.shape[1 if batch_first else 0]


def is_causal_mask(mask: torch.Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
    """Whether a mask is the causal one, if that is not said."""
    if is_causal is not None:
        return is_causal
    if mask is None:
        return False
    causal = causal_mask(mask.shape[0] if size is None else size, mask.device, mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


_REPLACED: Final[dict[Any, Any]] = {
    nn.Transformer.generate_square_subsequent_mask: causal_mask,
    transformer._generate_square_subsequent_mask: causal_mask,
    transformer._get_seq_len: steps_of,
    transformer._detect_is_causal_mask: is_causal_mask,
}


def replaced(value: Any) -> Any:
    """The function that runs for one of PyTorch's; any other value as it is."""
    return _REPLACED.get(value, value) if isinstance(value, types.FunctionType) else value
