"""Comparisons of two values by their leaves: the tensors, numbers and other objects in their containers.

Differences are described in words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import torch

from bridge.runtimes.recording import leaves
from bridge.tensors import is_tensor
from hook_contract.output.sentences import plural, with_article

#: Maps a module path to its relative and absolute tolerance.
Tolerances: TypeAlias = Callable[[str], tuple[float, float]]
#: A relative tolerance for equal computations that are written differently, such as sums in another order.
NEAR: Final = 1e-4
_INFINITE: Final = float("inf")


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """A difference of two values."""

    #: Words that follow the name of the value, such as ``differs by up to 1 in 2 of 4 numbers``.
    text: str
    #: For two tensors of equal shape and dtype, the largest absolute difference of their elements. Infinity if unequal elements are NaN or
    #: infinite, and for every other kind of difference.
    largest: float


def compare_values(
    a: Any, b: Any, names: tuple[str, str], rtol: float = 0.0, atol: float = 0.0
) -> ValueDifference | None:
    """Compare two values leaf by leaf; return the largest difference, or None if all leaves are equal within the tolerances.

    The tolerances ``rtol`` and ``atol`` apply to tensors only. ``names`` are the names of the two runtimes.
    """
    left, right = leaves(a), leaves(b)
    if len(left) != len(right):
        return ValueDifference(
            f"has {plural(len(left), 'value')} in {names[0]} and {len(right)} in {names[1]}", _INFINITE
        )
    differences = [_compare_leaves(x, y, names, rtol, atol) for x, y in zip(left, right, strict=True)]
    return max(filter(None, differences), key=lambda difference: difference.largest, default=None)


def _compare_leaves(x: Any, y: Any, names: tuple[str, str], rtol: float, atol: float) -> ValueDifference | None:
    describe: Callable[[Any], str] = describe_type
    if is_tensor(x) and is_tensor(y):
        if x.shape == y.shape and x.dtype == y.dtype:
            return _compare_tensors(x, y, rtol, atol)
    elif not is_tensor(x) and not is_tensor(y):
        if _equal(x, y):
            return None
        describe = repr
    return ValueDifference(f"is {describe(x)} in {names[0]} and {describe(y)} in {names[1]}", _INFINITE)


def _compare_tensors(x: torch.Tensor, y: torch.Tensor, rtol: float, atol: float) -> ValueDifference | None:
    with torch.no_grad():
        x, y = to_dense(x), to_dense(y)
        if torch.equal(x, y):
            return None
        if not (x.is_floating_point() or x.is_complex()):
            x, y = x.to(torch.float64), y.to(torch.float64)
        distance = _distance(x, y).double()
        allowed = atol + rtol * torch.maximum(x.abs(), y.abs()).double()
        count = int((~(distance <= allowed)).sum())
        if not count:
            return None
        largest = float(distance.nan_to_num(nan=_INFINITE, posinf=_INFINITE).max())
        numbers = f"in {count} of {x.numel()} numbers"
        if largest == _INFINITE:
            return ValueDifference(f"differs {numbers} (some of them NaN or infinite)", largest)
        return ValueDifference(f"differs by up to {largest:.3g} {numbers}", largest)


def _distance(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the absolute differences; 0 for equal infinities and two NaNs."""
    return torch.where((x == y) | (x.isnan() & y.isnan()), torch.zeros_like(x), x - y).abs()


def is_near(a: torch.Tensor, b: torch.Tensor, near: float = NEAR) -> bool:
    """Return whether two tensors have equal shapes and dtypes, and near elements.

    Float and complex elements may differ by ``near`` times the largest finite magnitude in ``a``; elements of other dtypes must be equal.
    """
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    with torch.no_grad():
        a, b = to_dense(a), to_dense(b)
        if torch.equal(a, b):
            return True
        if not (a.is_floating_point() or a.is_complex()):
            return False
        if not near and not a.isnan().any():
            return False
        finite = a.abs().nan_to_num(nan=0.0, posinf=0.0)
        return bool(_distance(a, b).max() <= near * finite.max())


def are_near(a: Any, b: Any, near: float) -> bool:
    """Return whether the leaves of two values are near (:func:`is_near`) if they are tensors, and equal otherwise."""
    left, right = leaves(a), leaves(b)
    return len(left) == len(right) and all(
        is_near(x, y, near)
        if isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)
        else _compare_leaves(x, y, ("", ""), 0.0, 0.0) is None
        for x, y in zip(left, right, strict=True)
    )


def to_dense(tensor: torch.Tensor) -> torch.Tensor:
    """Return a detached, strided, dequantized tensor of the same values."""
    plain = tensor.detach()
    plain = plain.dequantize() if plain.is_quantized else plain
    return plain if plain.layout is torch.strided else plain.to_dense()


def describe_type(value: Any) -> str:
    """Describe a tensor by its dtype and shape (``float32[2, 3]``), a number, string or None by ``repr``, another object by its type."""
    if is_tensor(value):
        return f"{str(value.dtype)[6:]}[{', '.join(map(str, value.shape))}]"
    return repr(value) if isinstance(value, (bool, int, float, str, type(None))) else with_article(type(value).__name__)


def _equal(x: Any, y: Any) -> bool:
    if x is y:
        return True
    if type(x) is not type(y) and not (isinstance(x, int | float) and isinstance(y, int | float)):
        return False
    try:
        return bool(x == y) or (x != x and y != y)
    except Exception:  # the objects do not support ==
        return False
