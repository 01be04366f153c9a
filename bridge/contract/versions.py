"""Versions as the contract and the ledger write them: ``>=2.1,<2.6``; empty is every version."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, Final

_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)*")
_BOUND: Final = re.compile(r"(>=|<=|==|<|>)\s*(\d+(?:\.\d+)*)")
_TESTS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


def numbers(text: str) -> tuple[int, ...]:
    """The first version in a text: (2, 13, 0) of ``PyTorch 2.13.0+cpu``; () where there is none. Zeros at the end do not count."""
    found = _NUMBERS.search(text)
    parts = [int(part) for part in found[0].split(".")] if found else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def within(version: str, bounds: str) -> bool:
    """Whether a version keeps all ``bounds``. Raises ValueError for bounds that are none."""
    parts = [part.strip() for part in bounds.split(",") if part.strip()]
    tests = [(part, _BOUND.fullmatch(part)) for part in parts]
    for part, found in tests:
        if found is None:
            raise ValueError(f"'{part}' is no bound of a version: write >=2.1, <2.6 or ==2.13")
    here = numbers(version)
    return all(_TESTS[found[1]](here, numbers(found[2])) for _, found in tests if found is not None)
