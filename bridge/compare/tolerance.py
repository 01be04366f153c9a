"""Tolerances: the smallest with which two runs would be equal, and the rounding errors of gradients."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import Final, TypeAlias

import torch

from bridge.compare.isolate.value_comparison import to_dense
from bridge.compare.tensor_comparison import NamedDifference
from bridge.trace.diff import Diff, diff

#: Gradients by parameter name, or ``input NAME`` for an input; None for a tensor without a gradient.
Gradients: TypeAlias = Mapping[str, torch.Tensor | None]
#: The allowed difference of gradients: this many rounding errors of the largest gradient of their module, since the order of sums can
#: differ.
ROUNDINGS: Final = 256

_THREE_DIGITS: Final = Context(prec=3, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Two tolerances, each of which suffices alone, rounded up to three digits; None where no number suffices."""

    atol: float | None
    rtol: float | None

    def __str__(self) -> str:
        options = [
            f"--{name} {value:g}" for name, value in (("atol", self.atol), ("rtol", self.rtol)) if value is not None
        ]
        return " or ".join(options) or "no tolerance lets the values pass"


def smallest_tolerance(exact: Diff, named: Iterable[NamedDifference] = ()) -> Tolerance:
    """Return the smallest tolerances with which ``exact``, a diff with tolerance zero, and ``named`` would show no difference of values.

    A tolerance is None if its number would be infinite, or if arguments or values of the traces still differ with it.
    """
    named = list(named)
    atol = max([exact.largest_difference, *(found.absolute for found in named)])
    rtol = max([0.0, *(found.relative for found in exact.numeric), *(found.relative for found in named)])
    return Tolerance(
        _if_sufficient(exact, atol=round_up(atol)) if math.isfinite(atol) else None,
        _if_sufficient(exact, rtol=round_up(rtol)) if math.isfinite(rtol) else None,
    )


def round_up(number: float) -> float:
    """Round ``number`` to three digits, never down."""
    near = float(f"{number:.3g}")
    return near if near >= number else float(_THREE_DIGITS.create_decimal(Decimal(number)))


def _if_sufficient(exact: Diff, *, rtol: float = 0.0, atol: float = 0.0) -> float | None:
    return (rtol or atol) if not diff(exact.a, exact.b, rtol=rtol, atol=atol).numeric else None


def rounding_errors(a: Gradients, b: Gradients) -> dict[str, float]:
    """Return, by gradient name, the absolute difference that rounding can cause if sums are in another order.

    This difference is :data:`ROUNDINGS` times the machine epsilon of the dtype times the largest gradient that the same module (or the same
    input) has in either model. The gradient of a bias before a norm layer, for example, consists only of such errors.
    """
    largest: dict[str, float] = {}
    for name, value in (*a.items(), *b.items()):
        if (size := _largest_magnitude(value)) > 0:
            largest[_owner(name)] = max(largest.get(_owner(name), 0.0), size)
    return {
        name: ROUNDINGS * torch.finfo(value.dtype).eps * largest.get(_owner(name), 0.0)
        for name, value in a.items()
        if value is not None and (value.is_floating_point() or value.is_complex())
    }


def _owner(name: str) -> str:
    return name if name.startswith("input ") else name.rpartition(".")[0]


def _largest_magnitude(value: torch.Tensor | None) -> float:
    if value is None or not value.numel():
        return 0.0
    dense = to_dense(value)
    finite = dense.abs()[torch.isfinite(dense)]
    return float(finite.max()) if finite.numel() else 0.0


def describe_roundings(gradients: Gradients) -> str:
    """Return the sentence on the rounding errors that were allowed."""
    dtypes = dict.fromkeys(value.dtype for value in gradients.values() if value is not None)
    shares = " or ".join(f"{ROUNDINGS * torch.finfo(dtype).eps:.3g} ({str(dtype)[6:]})" for dtype in dtypes)
    return (
        f"Gradients count as equal if they differ by at most {shares} times the largest gradient of their module, that is "
        f"{ROUNDINGS} rounding errors, since sums may be in another order. Use --exact to compare bit by bit."
    )
