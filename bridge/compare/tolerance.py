"""The smallest tolerance with which two runs would pass."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal

from bridge.compare.tensor_comparison import NamedDifference
from bridge.trace.diff import Diff, diff

_THREE_DIGITS = Context(prec=3, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Either number alone lets all values pass, rounded up to three digits; None where no number does."""

    atol: float | None
    rtol: float | None

    def __str__(self) -> str:
        if self.atol is None and self.rtol is None:
            return "no tolerance lets the values pass"
        options = [
            f"--{name} {value:g}" for name, value in (("atol", self.atol), ("rtol", self.rtol)) if value is not None
        ]
        return " or ".join(options)


def smallest(exact: Diff, named: Iterable[NamedDifference] = ()) -> Tolerance:
    """The tolerance for ``exact`` (made with tolerance zero) and the tensors of ``named``; each is tried before it is reported."""
    named = list(named)
    atol = max([exact.largest_difference, *(one.absolute for one in named)])
    rtol = max([0.0, *(one.relative for one in exact.numeric), *(one.relative for one in named)])
    return Tolerance(
        _tried(exact, atol=rounded_up(atol)) if math.isfinite(atol) else None,
        _tried(exact, rtol=rounded_up(rtol)) if math.isfinite(rtol) else None,
    )


def rounded_up(number: float) -> float:
    """``number`` with three digits, never smaller than it is."""
    near = float(f"{number:.3g}")
    return near if near >= number else float(_THREE_DIGITS.create_decimal(Decimal(number)))


def _tried(exact: Diff, *, rtol: float = 0.0, atol: float = 0.0) -> float | None:
    again = diff(exact.a, exact.b, rtol=rtol, atol=atol)
    return (rtol or atol) if not again.numeric else None
