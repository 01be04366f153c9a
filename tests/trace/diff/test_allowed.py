"""Tolerances module by module."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bridge.trace import Event, Trace, Value, digest
from bridge.trace.diff import diff
from bridge.trace.diff.allowed import Allowed, fits


@pytest.mark.parametrize(
    ("pattern", "path", "fitting"),
    [
        ("a.b", "a.b", True),
        ("a.b", "a.b.c", True),
        ("a.b", "a.bc", False),
        ("a.*.c", "a.b.c", True),
        ("*.dense", "encoder.0.dense", True),
        ("*", "", True),
        ("a", "", False),
    ],
)
def test_fits(pattern: str, path: str, fitting: bool) -> None:
    assert fits(pattern, path) is fitting


def test_the_last_that_fits_counts() -> None:
    allowed = Allowed(0.1, 1.0, (("a", 2.0), ("a.b", 3.0), ("x*", 4.0)))
    assert [allowed.at(path)[1] for path in ("", "a", "a.c", "a.b.c", "xy")] == [1.0, 2.0, 2.0, 3.0, 4.0]
    assert allowed.unused(["a", "a.c"]) == ["a.b", "x*"]
    assert allowed
    assert not Allowed()


@pytest.mark.parametrize("number", [-1.0, math.nan])
def test_what_is_no_tolerance(number: float) -> None:
    with pytest.raises(ValueError, match=f"zero or more, but the atol of 'a' is {number}."):
        Allowed(by_path=(("a", number),))


def _trace(number: float) -> Trace:
    data = np.full(3, number, np.float32)
    value = Value("tensor", (3,), "float32", "cpu", digest(data), data=data)
    return Trace(
        "pytorch", [Event(row, path, "T", "forward", row, -1, values=(value,)) for row, path in enumerate("ab")]
    )


def test_values_are_compared_module_by_module() -> None:
    a, b = _trace(1.0), _trace(1.5)
    assert [difference.path for difference in diff(a, b).numeric] == ["a", "b"]
    assert [difference.path for difference in diff(a, b, by_path=[("a", 0.5)]).numeric] == ["b"]
    assert [difference.path for difference in diff(a, b, atol=1.0, by_path=[("a", 0.1)]).numeric] == ["a"]
