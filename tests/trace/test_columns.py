"""Columns and events are two forms of the same."""

from __future__ import annotations

import numpy as np
import pytest

from bridge.trace import Event, Trace, Value, digest
from bridge.trace.columns import columns, is_digest

DATA = np.arange(3.0)
EVENTS = (
    Event(0, "", "Net", "pre", 0, -1, values=(Value("tensor", (3,), "float64", "cpu", digest(DATA), data=DATA), Value("none"))),
    Event(1, "a", "Linear", "own phase", 10**12, -5, 2, "own scope"),
    Event(2, "a", "Linear", "forward", 1, 0, values=(Value("tensor", (3,), "float64", "cpu", "odd"), Value("float", literal=-0.0))),
    Event(3, "", "Net", "forward", 0, -1, values=(Value("int", literal=1), Value("bool", literal=True), Value("float", literal=1.0))),
)  # fmt: skip


def test_events_come_back_from_columns() -> None:
    found = columns(EVENTS)
    assert repr(list(found.events())) == repr(list(EVENTS))
    assert next(found.events(2, 3)) == EVENTS[2]
    first = next(found.events()).values[0].data
    assert first is DATA
    assert (found.known(), len(found), found.firsts().tolist()) == (6, 4, [0, 2, 2, 4, 7])
    assert found.seq is None
    assert columns(EVENTS[1:]).seq is not None


def test_a_trace_of_columns_is_the_trace_of_its_events() -> None:
    a, b = Trace("t", EVENTS), Trace.of_columns("t", columns(EVENTS))
    assert len(a) == len(b) == 4
    assert list(b) == list(a) == list(b.events)
    again = Trace.of_columns("t", columns(EVENTS))
    assert (again[-1], again[1:3]) == (EVENTS[-1], EVENTS[1:3])
    with pytest.raises(IndexError):
        Trace.of_columns("t", columns(EVENTS))[4]
    bypass = [*EVENTS, Event(4, "b", "M", "bypass", -1, 0), Event(5, "b", "M", "bypass", -1, 0)]
    for trace in (Trace("t", bypass), Trace.of_columns("t", columns(bypass))):
        assert (trace.calls, trace.bypassed) == (1, ("b",))


def test_columns_are_loaded_when_they_are_needed() -> None:
    loads = []
    trace = Trace.of_columns("t", lambda: loads.append(1) or columns(EVENTS), count=4)
    assert (len(trace), loads) == (4, [])
    assert trace.events == EVENTS
    assert (trace.calls, loads) == (1, [1])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("0" * 32, True), ("f" * 31, False), ("F" * 32, False), ("0" * 32 + "\n", False), ("\u0660" * 32, False)],
)
def test_digests_are_32_digits(text: str, wanted: bool) -> None:
    assert is_digest(text) == wanted
