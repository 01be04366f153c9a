"""The trace as data."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from bridge.trace import Event, Trace, Value, digest


def _event(seq: int, path: str, phase: str, call: int = 0, **more: object) -> Event:
    return Event(seq, path, "Linear", phase, call, -1, **more)  # type: ignore[arg-type]


def test_a_bypass_is_not_a_call() -> None:
    """C-3: what was run by forward() was not called."""
    trace = Trace(
        "dotnet",
        [_event(0, "", "pre"), _event(1, "a", "bypass", -1), _event(2, "", "forward"), _event(3, "a", "bypass", -1)],
    )
    assert trace.calls == 1
    assert trace.bypassed == ("a",)
    assert len(trace) == 4
    assert trace[1].path == "a"
    assert [event.seq for event in trace] == [0, 1, 2, 3]


def test_equal_values_are_equal_whatever_their_data() -> None:
    """Elements are compared by the diff, with tolerances; equality of events is structure and digest."""
    a = Value("tensor", (2,), "float32", "cpu", data=np.zeros(2))
    b = Value("tensor", (2,), "float32", "cpu", data=np.ones(2))
    assert a == b
    assert a != Value("tensor", (3,), "float32", "cpu")


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.arange(12).reshape(3, 4)[:, ::2],
        np.array(3.0),
        np.empty((0, 2)),
        np.array([True, False]),
    ],
)
def test_digest_follows_elements_shape_and_type(array: np.ndarray) -> None:
    assert digest(array) == digest(array.copy())
    assert len(digest(array)) == 32
    assert digest(array) != digest(array.reshape(-1, 1, 1))
    assert digest(array) != digest(array.astype(np.complex64))
    if array.size:
        other = array.copy()
        other.flat[0] = not other.flat[0] if array.dtype == bool else other.flat[0] + 1
        assert digest(array) != digest(other)


def test_values_read_well() -> None:
    assert str(Value("tensor", (1, 3), "float32", "cpu")) == "float32[1x3]"
    assert str(Value("tensor", (), "int64", "cuda:0")) == "int64[scalar]@cuda:0"
    assert str(Value("none")) == "none"
    assert str(Value("int", literal=3)) == "3"


def test_importing_the_trace_brings_no_torch() -> None:
    """At the bottom of the house: neither torch nor .NET."""
    code = "import sys, bridge, bridge.trace, bridge.trace.diff; print([n for n in ('torch', 'pythonnet', 'clr') if n in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
