"""Whether two tools' answers are the same: nested values, element by element."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch


def differences(left: Any, right: Any, atol: float = 0.0, rtol: float = 0.0, path: str = "") -> Iterator[str]:
    """Return the differences of two values, a line each. NaN equals NaN."""
    here, close = path or "the result", {"atol": atol, "rtol": rtol}
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        left, right = left.detach(), right.detach()
        if left.shape != right.shape or left.dtype != right.dtype:
            yield f"{here}: {_kind(right)} instead of {_kind(left)}"
        elif not torch.allclose(_plain(left), _plain(right), **close, equal_nan=True):
            apart = (_plain(left) - _plain(right)).abs().max().item()
            yield f"{here}: {apart:.2g} apart"
    elif isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        yield from differences(torch.from_numpy(left.copy()), torch.from_numpy(right.copy()), **close, path=path)
    elif isinstance(left, Mapping) and isinstance(right, Mapping):
        if list(left) != list(right):
            yield f"{here}: keys {list(right)} instead of {list(left)}"
        else:
            for key in left:
                yield from differences(left[key], right[key], **close, path=f"{path}[{key!r}]")
    elif isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if len(left) != len(right):
            yield f"{here}: {len(right)} instead of {len(left)} entries"
        for index, (a, b) in enumerate(zip(left, right, strict=False)):
            yield from differences(a, b, **close, path=f"{path}[{index}]")
    elif isinstance(left, float) and isinstance(right, float):
        if not np.isclose(right, left, **close, equal_nan=True):
            yield f"{here}: {right} instead of {left}"
    elif isinstance(left, str) and isinstance(right, str):
        yield from _lines(left, right, here)
    elif type(left) is not type(right) or left != right:
        yield f"{here}: {right!r} instead of {left!r}"


def _lines(left: str, right: str, here: str) -> Iterator[str]:
    if left == right:
        return
    a, b = left.splitlines(), right.splitlines()
    for number, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            yield f"{here}, line {number + 1}: {y.strip()!r} instead of {x.strip()!r}"
            return
    yield f"{here}: {len(b)} lines instead of {len(a)}"


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    return tensor if tensor.is_complex() else tensor.double()
