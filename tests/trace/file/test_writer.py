"""Writing: what goes in comes out, equal events are equal bytes, and no half-written file is left."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.trace import Event, Trace, Value
from bridge.trace.file import read, scan, write, writer
from bridge.trace.file.elements import beside
from bridge.trace.file.errors import TraceWriteError

from .conftest import HEADER, calls, every_event


def test_what_was_written_is_read(trace: Trace, file: Path) -> None:
    found = read(file)
    assert found.events == trace.events
    assert list(scan(file)) == list(trace)
    assert (found.header, found.roots, found.runtime) == (HEADER, ("",), "pytorch")


def test_equal_events_are_equal_bytes_whatever_the_header(trace: Trace, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.jsonl"
    write(other, read(file), header=replace(HEADER, runtime="dotnet", threads=7))
    a, b = file.read_bytes().splitlines(), other.read_bytes().splitlines()
    assert a[0] != b[0]
    assert a[1:] == b[1:]
    assert len(a) == len(trace) + 2
    assert all(json.dumps(json.loads(line), separators=(",", ":")).encode() == line for line in a)


def test_unseen_modules_are_written_only_if_there_are_any(trace: Trace, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.jsonl"
    header = replace(HEADER, unseen=("a.b", "\u00e9"))
    write(other, trace, header=header)
    assert read(other).header == header
    written = file.read_bytes()
    assert b"unseen" not in written
    assert other.read_bytes() == written.replace(b'"roots":[""],', b'"roots":[""],"unseen":["a.b","\\u00e9"],', 1)


def test_a_trace_without_header_gets_one(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", Trace("own", [], ("x", "y")))
    found = read(tmp_path / "a.jsonl")
    assert found.header is not None
    assert (found.header.runtime, found.roots, len(found)) == ("own", ("x", "y"), 0)


def test_inputs_that_are_too_many_for_the_header_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "LONGEST", 4000)
    many = replace(HEADER, inputs={f"{call}.0": "0" * 32 for call in range(100)})
    write(tmp_path / "a.jsonl", Trace("t", []), header=many)
    assert read(tmp_path / "a.jsonl").header == replace(HEADER, inputs={})
    with pytest.raises(TraceWriteError, match="the header is too long"):
        write(tmp_path / "a.jsonl", Trace("t", []), header=replace(many, weights=many.inputs))


def test_a_trace_with_gaps_in_its_numbers_keeps_them(tmp_path: Path) -> None:
    events = [event for event in every_event() if event.seq != 2]
    write(tmp_path / "a.jsonl", Trace("t", events))
    assert read(tmp_path / "a.jsonl").events == tuple(events)
    assert list(scan(tmp_path / "a.jsonl")) == events


@pytest.mark.parametrize(
    "event",
    [
        Event(0, "", "M", "pre", -7, -1),
        Event(0, "", "M", "pre", 0, 2**31),
        Event(0, "", "M", "pre", 0, -1, values=(Value("tensor"),)),
        Event(0, "", "M", "pre", 0, -1, values=(Value("tensor", (1,), "float32", "cpu", "no digest"),)),
        Event(0, "", "M", "pre", 0, -1, values=(Value("int", literal="x"),)),
        Event(0, "", "M", "pre", 0, -1, values=(Value("?"),)),
        Event(0, "", "M", "?", 0, -1),
        Event(0, "", "M", "pre", 0, -1, scope="?"),
        Event(0, "", "M", "pre", 0, -1, values=(Value("tensor", (1,), "object", "cpu", data=np.array([{}])),)),
    ],
)
def test_what_no_file_can_hold_is_refused_and_nothing_is_left(event: Event, tmp_path: Path) -> None:
    with pytest.raises(TraceWriteError, match=r"a\.jsonl|safetensors"):
        write(tmp_path / "a.jsonl", Trace("t", [event]))
    assert not list(tmp_path.iterdir())


def test_a_path_that_cannot_be_written(tmp_path: Path, trace: Trace) -> None:
    with pytest.raises(TraceWriteError, match="cannot be written"):
        write(tmp_path / "none" / "a.jsonl", trace)
    (tmp_path / "folder").mkdir()
    with pytest.raises(TraceWriteError, match="cannot be written"):
        write(tmp_path / "folder", trace)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write(path, calls(3))
    before = path.read_bytes()

    class Interrupted(Trace):
        @property
        def columns(self):  # type: ignore[no-untyped-def]
            found = Trace("t", every_event(full=True)).columns

            class Data(dict):  # type: ignore[type-arg]
                def __contains__(self, _: object) -> bool:
                    raise KeyboardInterrupt

            return replace(found, data=Data(found.data))

    with pytest.raises(KeyboardInterrupt):
        write(path, Interrupted("t"))
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]
    assert path.read_bytes() == before
    assert not beside(path).exists()


_leaf = st.one_of(
    st.builds(Value, st.just("none")),
    st.builds(Value, st.just("int"), literal=st.integers() | st.none()),
    st.builds(Value, st.just("float"), literal=st.floats(allow_nan=False)),
    st.builds(Value, st.just("bool"), literal=st.booleans()),
    st.builds(Value, st.just("str"), literal=st.text(st.characters())),
    st.builds(
        Value, st.just("tensor"), st.lists(st.integers(0, 9)).map(tuple), st.text(), st.text(),
        st.none() | st.binary(min_size=16, max_size=16).map(bytes.hex),
    ),
)  # fmt: skip
_events = st.lists(
    st.builds(
        Event, st.just(0), st.text(st.characters()), st.text(), st.sampled_from(["pre", "forward", "bypass"]),
        st.integers(-1, 2**31 - 1), st.integers(-1, 9), st.integers(0, 9), st.sampled_from(["global", "module"]),
        st.lists(_leaf, max_size=3).map(tuple),
    ),
    max_size=6,
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(_events)
def test_any_trace_survives(tmp_path_factory: pytest.TempPathFactory, events: list[Event]) -> None:
    events = [replace(event, seq=number) for number, event in enumerate(events)]
    path = tmp_path_factory.mktemp("any") / "a.jsonl"
    write(path, Trace("t", events))
    assert repr(read(path).events) == repr(tuple(events))
    assert repr(list(scan(path))) == repr(events)
