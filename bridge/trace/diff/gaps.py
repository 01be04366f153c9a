"""Comparison of the values of two events: numbers, strings and tensors, within a tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bridge.trace.event import Value
from hook_contract.output.sentences import plural


@dataclass(slots=True)
class ValueComparison:
    """The result of comparing two tuples of values."""

    #: Descriptions of the differences of shapes, dtypes, devices, numbers, strings, kinds and counts, but not of tensor elements.
    arguments: list[str]
    #: Whether one of ``arguments`` is not a difference of the device.
    content: bool = False
    #: The largest absolute difference of elements in the tensors with elements out of tolerance.
    absolute: float = 0.0
    #: The largest relative difference of elements in the tensors with elements out of tolerance.
    relative: float = 0.0
    #: The number of elements out of tolerance.
    elements: int = 0
    #: The number of elements that differ by a NaN or an infinity, such as NaN against 1, or inf against -inf.
    nonfinite: int = 0
    #: The number of elements that were compared one by one.
    total: int = 0
    #: Whether the digests or dtypes of two tensors differ, and the elements of at least one of the two are unknown. Then ``absolute``,
    #: ``relative`` and ``largest`` are infinite.
    digests: bool = False
    #: Whether the elements of two tensors differ beyond the tolerance, or ``digests`` is True.
    differs: bool = False
    #: The largest difference of two numbers or elements, even within tolerance.
    largest: float = 0.0
    #: The number of compared tensors, numbers and booleans.
    compared: int = 0


def compare_values(xs: tuple[Value, ...], ys: tuple[Value, ...], rtol: float, atol: float) -> ValueComparison:
    result = ValueComparison([])
    if len(xs) != len(ys):
        result.arguments.append(f"{plural(len(xs), 'value')} against {len(ys)}")
        result.content = True
    for index, (x, y) in enumerate(zip(xs, ys, strict=False)):
        mark = f"value {index} " if max(len(xs), len(ys)) > 1 else ""
        if {x.kind, y.kind} == {"int", "float"} and x.literal == y.literal:
            result.compared += 1  # Python's 2 is 2.0 in C# if the parameter is a double
            continue
        if x.kind != y.kind:
            result.arguments.append(f"{mark}kind {x.kind} against {y.kind}")
            result.content = True
            continue
        if x.kind != "tensor":
            _compare_literals(x, y, mark, result, rtol, atol)
            continue
        for name in ("shape", "dtype", "device"):
            left, right = getattr(x, name), getattr(y, name)
            if left != right:
                result.arguments.append(f"{mark}{name} {left} against {right}")
                result.content |= name != "device"
        if x.shape == y.shape:
            _compare_tensors(x, y, result, rtol, atol)
    return result


def _compare_literals(x: Value, y: Value, mark: str, result: ValueComparison, rtol: float, atol: float) -> None:
    left, right = x.literal, y.literal
    if isinstance(left, int | float) and isinstance(right, int | float):
        result.compared += 1
        if left == right or (left != left and right != right):
            return
        gap = _gap(left, right)
        result.largest = max(result.largest, gap)
        if gap < math.inf and gap <= atol + rtol * max(abs(float(left)), abs(float(right))):
            return
    elif left == right:
        return
    result.arguments.append(f"{mark}{left!r} against {right!r}")
    result.content = True


def _gap(left: float, right: float) -> float:
    """Return the distance of two numbers; infinite if a number or the distance is not finite as a float."""
    try:
        gap = abs(left - right)
        return float(gap) if math.isfinite(left) and math.isfinite(right) else math.inf
    except OverflowError:
        return math.inf


def _compare_tensors(x: Value, y: Value, result: ValueComparison, rtol: float, atol: float) -> None:
    known = x.digest is not None and y.digest is not None
    full = x.data is not None and y.data is not None
    if not (known or full):
        return
    result.compared += 1
    if known and x.digest == y.digest and x.dtype == y.dtype:
        return
    if x.data is None or y.data is None:
        result.differs = result.digests = True
        result.absolute = result.relative = result.largest = math.inf
        return
    if x.data is y.data or (x.data.dtype == y.data.dtype and np.array_equal(x.data, y.data)):
        result.total += x.data.size
        return
    _compare_numbers(x.data, y.data, result, rtol, atol)


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """The distances between two arrays of equal shape. Complex arrays are compared by component."""

    #: The distance of each pair of elements, infinite for a mismatch.
    gap: np.ndarray
    #: The larger magnitude of each pair, 0 if it is not finite.
    size: np.ndarray
    #: True for elements that differ by a NaN or an infinity, such as NaN against 1, or inf against -inf. If there are none,
    #: this can be a single False.
    mismatch: np.ndarray

    @property
    def absolute(self) -> float:
        """Return the largest distance, 0 for empty arrays."""
        return float(self.gap.max()) if self.gap.size else 0.0

    @property
    def relative(self) -> float:
        """Return the largest quotient of ``gap`` and ``size``, 0 for empty arrays, infinite if a distance is infinite."""
        if not self.gap.size:
            return 0.0
        with np.errstate(all="ignore"):
            return float(np.where(self.gap == 0, 0.0, self.gap / self.size).max())


def gaps(x: np.ndarray, y: np.ndarray) -> Gaps:
    """Return the distances between two arrays of equal shape. Integers and booleans are subtracted as integers, others as float64."""
    mismatch = np.zeros((), bool)
    if x.dtype.kind in "biu" and y.dtype.kind in "biu":
        gap = _integer_gap(x, y)
        size = np.maximum(np.abs(x.astype(np.float64)), np.abs(y.astype(np.float64)))
        return Gaps(gap, size, mismatch)
    x, y = _real(x, y), _real(y, x)
    with np.errstate(all="ignore"):
        gap, size = np.abs(x - y), np.maximum(np.abs(x), np.abs(y))
    if not np.isfinite(gap).all():
        alike = (x == y) | (np.isnan(x) & np.isnan(y))
        mismatch = ~alike & ~(np.isfinite(x) & np.isfinite(y))
        gap = np.where(mismatch, np.inf, np.where(alike, 0.0, gap))
        size = np.where(np.isfinite(size), size, 0.0)
    return Gaps(gap, size, mismatch)


def _integer_gap(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Subtract integers exactly, and return the absolute differences as float64."""
    if np.result_type(x, y).kind == "f":
        # NumPy would compare int64 and uint64 as float64, which has 53 bits. Non-negative integers all fit into uint64.
        signed, unsigned = (x, y) if x.dtype.kind == "i" else (y, x)
        gap = _integer_gap(np.maximum(signed, 0).astype(np.uint64), unsigned)
        return np.where(signed < 0, gap - np.minimum(signed, 0), gap)
    low, high = np.minimum(x, y), np.maximum(x, y)
    # The difference is exact, since uint64 wraps modulo 2**64. The operator `-` would warn of this for arrays without dimensions.
    exact: np.ndarray = np.subtract(high.astype(np.uint64), low.astype(np.uint64))
    return exact.astype(np.float64)


def _compare_numbers(x: np.ndarray, y: np.ndarray, result: ValueComparison, rtol: float, atol: float) -> None:
    found = gaps(x, y)
    result.total += found.gap.size
    absolute = found.absolute
    result.largest = max(result.largest, absolute)
    with np.errstate(over="ignore"):
        out = found.mismatch | (found.gap > atol + rtol * found.size)
    if out.any():
        result.differs = True
        result.elements += int(np.count_nonzero(out))
        result.nonfinite += int(found.mismatch.sum())
        result.absolute = max(result.absolute, absolute)
        result.relative = max(result.relative, found.relative)


def _real(x: np.ndarray, other: np.ndarray) -> np.ndarray:
    if "c" in (x.dtype.kind, other.dtype.kind):
        x = np.stack((x.real, x.imag))
    return x.astype(np.float64)
