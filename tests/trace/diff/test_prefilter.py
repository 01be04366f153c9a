"""Comparing by columns finds what comparing event by event finds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.trace import Event, Trace, Value, digest
from bridge.trace.diff import diff
from bridge.trace.diff.allowed import Allowed
from bridge.trace.diff.blame import compare_columns, compare_rows
from bridge.trace.diff.prefilter import LazySequence, Pairs, same_structure

ARRAYS = [np.array([1.0]), np.array([1.0, 2.0]), np.array([1.5]), np.array([np.nan]), np.array([1.0], np.float32)]


def _tensor(index: int, hashed: bool, full: bool, device: str) -> Value:
    array = ARRAYS[index]
    made = digest(array) if hashed else None
    return Value("tensor", array.shape, str(array.dtype), device, made, data=array if full else None)


_value = st.one_of(
    st.builds(_tensor, st.integers(0, 4), st.booleans(), st.booleans(), st.sampled_from(["cpu", "cpu", "cuda:0"])),
    st.builds(Value, st.just("float"), literal=st.sampled_from([0.0, -0.0, 1.0, float("nan"), float("inf")])),
    st.builds(Value, st.just("int"), literal=st.sampled_from([0, 1])),
    st.builds(Value, st.just("bool"), literal=st.booleans()),
    st.builds(Value, st.just("str"), literal=st.sampled_from(["a", "b", None])),
    st.just(Value("none")),
    st.just(Value("tensor", (1,), "float64", "cpu", "odd")),
)
_values = st.lists(_value, max_size=3).map(tuple)


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[Trace, Trace]:
    """Draw two traces of equal structure whose values are often equal."""
    a, b = [], []
    for number in range(draw(st.integers(0, 6))):
        call = draw(st.sampled_from([0, 1, 2, 10**12]))
        phase = draw(st.sampled_from(["pre", "forward", "bypass"]))
        event = Event(number, f"m{call}", draw(st.sampled_from("XY")), phase, call, -1, values=draw(_values))
        a.append(event)
        values = draw(st.one_of(st.just(event.values), _values))
        b.append(replace(event, type=draw(st.sampled_from("XY")), values=values))
    return Trace("a", a), Trace("b", b)


@settings(deadline=None, max_examples=300)
@given(_pairs(), st.sampled_from([0.0, 0.6]))
def test_columns_find_what_rows_find(pair: tuple[Trace, Trace], atol: float) -> None:
    a, b = pair
    names = ("a", "b")
    assert same_structure(a.columns, b.columns)
    by_column = compare_columns(a, b, names, Allowed(0.0, atol))
    by_row = compare_rows(list(zip(a, b, strict=True)), names, Allowed(0.0, atol))
    assert tuple(by_column[0]) == tuple(by_row[0])
    assert by_column[1:] == by_row[1:]
    result = diff(a, b, atol=atol)
    types = {(x.path, x.type, y.type) for x, y in zip(a, b, strict=True) if x.type != y.type}
    assert len(result.notes) == len(types)
    if result.culprit is not None:
        assert any(found is result.culprit for found in result.numeric)


def test_differences_are_made_when_they_are_looked_at() -> None:
    def trace(salt: int) -> Trace:
        values = [Value("tensor", (1,), "float32", "cpu", f"{salt}{number:031d}") for number in range(100)]
        return Trace("t", [Event(n, "m", "M", "pre", n, -1, values=(value,)) for n, value in enumerate(values)])

    found = diff(trace(1), trace(2))
    assert isinstance(found.numeric, LazySequence)
    assert len(found.numeric) == 100
    assert found.numeric[-1].row == 99
    assert found.numeric[0] is found.numeric[0]
    assert [entry.row for entry in found.numeric[3:5]] == [3, 4]
    assert len((*found.structural, *found.numeric)) == len(found.structural + found.numeric) == 100
    assert found.numeric == tuple(found.numeric)
    assert "99 more differences" in found.explain()


def test_pairs_are_a_sequence_of_rows() -> None:
    trace = Trace("t", [Event(n, "m", "M", "pre", n, -1) for n in range(5)])
    pairs = Pairs(trace, trace)
    assert (len(pairs), pairs[-1], pairs[1:3]) == (
        5,
        (trace[4], trace[4]),
        tuple(zip(trace[1:3], trace[1:3], strict=True)),
    )
    assert list(pairs) == [(event, event) for event in trace]
