"""By how much two values differ, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from bridge.output.sentences import indefinite
from bridge.runtimes.recording import leaves
from bridge.tensors import is_tensor

#: The relative and the absolute tolerance at a module path.
Tolerances = Callable[[str], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Measure:
    """A difference: in words that end a sentence, and the largest absolute one (infinite where shapes or kinds differ)."""

    words: str
    absolute: float


def measure(a: Any, b: Any, rtol: float, atol: float, names: tuple[str, str]) -> Measure | None:
    """The first difference of two values, leaf by leaf; None where there is none. ``names`` are the runtimes'."""
    left, right = leaves(a), leaves(b)
    if len(left) != len(right):
        return Measure(f"has {len(left)} values in {names[0]} and {len(right)} in {names[1]}", float("inf"))
    found = [one for x, y in zip(left, right, strict=True) if (one := leaf(x, y, rtol, atol, names)) is not None]
    return max(found, key=lambda one: one.absolute, default=None)


def leaf(x: Any, y: Any, rtol: float, atol: float, names: tuple[str, str]) -> Measure | None:
    """The same of two leaves."""
    if is_tensor(x) != is_tensor(y):
        return Measure(f"is {described(x)} in {names[0]} and {described(y)} in {names[1]}", float("inf"))
    if not is_tensor(x):
        numbers = isinstance(x, int | float) and isinstance(y, int | float)
        same = x is y or ((type(x) is type(y) or numbers) and _equal(x, y))
        return None if same else Measure(f"is {x!r} in {names[0]} and {y!r} in {names[1]}", float("inf"))
    if x.shape != y.shape or x.dtype != y.dtype:
        return Measure(f"is {described(x)} in {names[0]} and {described(y)} in {names[1]}", float("inf"))
    return _tensors(x, y, rtol, atol)


def _tensors(x: torch.Tensor, y: torch.Tensor, rtol: float, atol: float) -> Measure | None:
    with torch.no_grad():
        x, y = dense(x), dense(y)
        if torch.equal(x, y):
            return None
        if not (x.is_floating_point() or x.is_complex()):
            wide = torch.float64
            x, y = x.to(wide), y.to(wide)
        away = (x - y).abs().double()
        away = torch.where((x == y) | (x.isnan() & y.isnan()), torch.zeros_like(away), away)
        bound = atol + rtol * torch.maximum(x.abs(), y.abs()).double()
        beyond = ~(away <= bound)
        count = int(beyond.sum())
        if not count:
            return None
        largest = float(away.nan_to_num(nan=float("inf"), posinf=float("inf")).max())
        words = f"by up to {largest:.3g}" if largest != float("inf") else "by NaN or infinite numbers on one side"
        return Measure(f"differs {words} in {count} of {x.numel()} numbers", largest)


def dense(tensor: torch.Tensor) -> torch.Tensor:
    plain = tensor.detach()
    plain = plain.dequantize() if plain.is_quantized else plain
    return plain if plain.layout is torch.strided else plain.to_dense()


def described(value: Any) -> str:
    """A value's kind: of a tensor dtype and shape."""
    if is_tensor(value):
        return f"{str(value.dtype)[6:]}[{', '.join(map(str, value.shape))}]"
    return repr(value) if isinstance(value, (bool, int, float, str, type(None))) else indefinite(type(value).__name__)


def all_described(values: Sequence[Any]) -> str:
    return ", ".join(described(value) for value in values)


def _equal(x: Any, y: Any) -> bool:
    try:
        return bool(x == y) or (x != x and y != y)
    except Exception:  # an object that cannot be compared
        return False
