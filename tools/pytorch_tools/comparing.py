"""Whether two tools' answers are the same: nested values, element by element."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch


def differences(left: Any, right: Any, atol: float = 0.0, rtol: float = 0.0, path: str = "") -> Iterator[str]:
    """Return the differences of two values, a line each. NaN equals NaN, and text is compared by lines."""
    here, close = path or "the result", {"atol": atol, "rtol": rtol}
    left, right = _plain(left), _plain(right)
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        if left.shape != right.shape or left.dtype != right.dtype:
            yield f"{here}: {_kind(right)} instead of {_kind(left)}"
        elif not torch.allclose(_wide(left), _wide(right), **close, equal_nan=True):
            yield f"{here}: {(_wide(left) - _wide(right)).abs().max().item():.2g} apart"
    elif isinstance(left, Mapping) and isinstance(right, Mapping):
        if list(left) != list(right):
            yield f"{here}: keys {list(right)} instead of {list(left)}"
        else:
            for key in left:
                yield from differences(left[key], right[key], **close, path=f"{path}[{key!r}]")
    elif isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if len(left) != len(right):
            yield f"{here}: {len(right)} instead of {len(left)} entries"
        for index, pair in enumerate(zip(left, right, strict=False)):
            yield from differences(*pair, **close, path=f"{path}[{index}]")
    elif isinstance(left, float) and isinstance(right, float):
        if not np.isclose(right, left, **close, equal_nan=True):
            yield f"{here}: {right} instead of {left}"
    elif type(left) is not type(right) or left != right:
        yield f"{here}: {right!r} instead of {left!r}"


def _plain(value: Any) -> Any:
    """Return an array as a tensor, a quantized tensor as numbers, and text of several lines as a list."""
    if isinstance(value, np.ndarray):
        value = torch.from_numpy(value.copy())
    if isinstance(value, torch.Tensor):
        return value.detach().dequantize() if value.is_quantized else value.detach()
    return value.splitlines() if isinstance(value, str) and "\n" in value else value


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.is_complex() else tensor.double()


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"
