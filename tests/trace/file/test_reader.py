"""Reading: what is wrong is said with file, line and field; nothing is executed and little is held."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bridge.trace import Trace
from bridge.trace import file as trace_file
from bridge.trace.file import read, scan, write
from bridge.trace.file.blocks import LONGEST
from bridge.trace.file.decoder import FIELDS, OPTIONAL
from bridge.trace.file.errors import (
    DamagedTraceError,
    DuplicateFieldError,
    FieldTypeError,
    LineTooLongError,
    MissingFieldError,
    NotATraceError,
    NotJsonError,
    SchemaVersionError,
    TraceCutOffError,
    TraceFileError,
    UnknownFieldError,
)

from .conftest import calls

T = TypeVar("T")


def _lines(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)


def _fails(file: Path, error: type[TraceFileError]) -> TraceFileError:
    """Return the exception of reading, which must be equal for both ways of reading and have no inner traceback."""
    with pytest.raises(error) as parsed:
        read(file)
    with pytest.raises(error) as streamed:
        list(scan(file))
    assert type(parsed.value) is type(streamed.value) is error
    assert (parsed.value.line, parsed.value.field) == (streamed.value.line, streamed.value.field)
    assert str(parsed.value).startswith(str(file))
    return parsed.value


@pytest.mark.parametrize("end", ["footer", "half a line", "half a footer"])
def test_a_cut_off_file_is_reported_with_what_could_be_read(trace: Trace, file: Path, end: str) -> None:
    lines = _lines(file)
    kept = {
        "footer": lines[:-1],
        "half a line": [*lines[:-2], lines[-2][:30]],
        "half a footer": [*lines[:-1], lines[-1][:9]],
    }
    file.write_bytes(b"".join(kept[end]))
    error = _fails(file, TraceCutOffError)
    complete = len(trace) - (end == "half a line")
    assert f"truncated: it has no footer; {complete} complete events" in str(error)
    with pytest.raises(TraceCutOffError) as raised:
        read(file)
    assert raised.value.trace is not None
    assert raised.value.trace.events == trace.events[:complete]


@pytest.mark.parametrize("content", [b"", b'{"schema":1,"runt'])
def test_a_file_cut_off_in_its_header(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)
    assert _fails(tmp_path / "a.jsonl", TraceCutOffError).line == 1


@pytest.mark.parametrize("content", [b"hello\n", b"\x80\x02}q\x00.", b'{"a":1}\n', b"[1]\n", b"PK\x03\x04" * 100])
def test_what_is_not_a_trace_is_called_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)
    assert "not a trace file" in str(_fails(tmp_path / "a.jsonl", NotATraceError))


def test_a_file_that_is_not_there_or_a_folder(tmp_path: Path) -> None:
    assert "cannot be read" in str(_fails(tmp_path / "none.jsonl", TraceFileError))
    assert "cannot be read" in str(_fails(tmp_path, TraceFileError))


def test_another_schema_version(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'{"schema":1,', b'{"schema":2,', 1))
    error = _fails(file, SchemaVersionError)
    assert (error.line, error.field) == (1, "schema")
    assert "schema version 2, and this package reads version 1" in str(error)


def _edited(file: Path, line: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Rewrite a line (counted from 1) as JSON."""
    lines = _lines(file)
    found = json.loads(lines[line - 1])
    change(found)
    lines[line - 1] = json.dumps(found, separators=(",", ":")).encode() + b"\n"
    file.write_bytes(b"".join(lines))


@pytest.mark.parametrize(
    ("line", "field"),
    [(1, f) for f in FIELDS["header"][1:] if f not in OPTIONAL]
    + [(3, f) for f in FIELDS["event"]]
    + [(7, f) for f in FIELDS["footer"][1:]],
)
def test_a_missing_and_an_unknown_field_are_named(file: Path, line: int, field: str) -> None:
    complete = file.read_bytes()
    _edited(file, line, lambda found: found.pop(field))
    error = _fails(file, MissingFieldError)
    assert (error.line, error.field) == (line, field)
    file.write_bytes(complete)
    _edited(file, line, lambda found: found.update(more=1))
    error = _fails(file, UnknownFieldError)
    assert (error.line, error.field) == (line, "more")


@pytest.mark.parametrize("field", FIELDS["tensor"])
def test_a_missing_field_of_a_tensor_is_named(file: Path, field: str) -> None:
    _edited(file, 2, lambda found: found["values"][0].pop(field))
    error = _fails(file, MissingFieldError)
    assert (error.line, error.field) == (2, f"values[0].{field}")


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        (1, "threads", "2"), (1, "roots", [1]), (1, "inputs", {"0.0": "short"}), (1, "dotnet", 8), (1, "values", "all"),
        (1, "unseen", None), (1, "unseen", "a"), (1, "unseen", ["a", 1]), (1, "unseen", {"a": 1}),
        (3, "seq", "1"), (3, "seq", True), (3, "path", None), (3, "phase", "post"), (3, "call", 1.5), (3, "parent", -2),
        (3, "hook", 2**31), (3, "scope", "local"), (3, "values", {}), (3, "values", [3]),
        (3, "values", [{"kind": "float", "literal": 1}]), (3, "values", [{"kind": "complex"}]),
        (3, "values", [{"kind": "tensor", "shape": [-1], "dtype": "float32", "device": "cpu", "digest": None, "data": None}]),
        (3, "values", [{"kind": "tensor", "shape": [1], "dtype": "float32", "device": "cpu", "digest": "!", "data": None}]),
        (3, "values", [{"kind": "tensor", "shape": [1], "dtype": "float32", "device": "cpu", "digest": "1" * 32, "data": "0" * 32}]),
        (3, "values", [{"kind": "tensor", "shape": [1], "dtype": "float32", "device": "cpu", "digest": "1" * 32, "data": "!"}]),
        (3, "values", [{"kind": "tensor", "shape": [1], "dtype": "float32", "device": "cpu", "digest": "!", "data": "!"}]),
        (7, "events", -1), (7, "known", None), (7, "digest", "f"),
    ],
)  # fmt: skip
def test_a_wrong_type_is_named(file: Path, line: int, field: str, value: object) -> None:
    _edited(file, line, lambda found: found.update({field: value}))
    error = _fails(file, FieldTypeError)
    assert error.line == line
    assert (error.field or "").startswith(field)
    assert "should be" in str(error) or "digest" in str(error)


def test_unseen_modules_need_not_be_sorted(file: Path) -> None:
    found = read(file).header
    assert found is not None
    assert found.unseen == ()
    _edited(file, 1, lambda header: header.update(unseen=["b", "a"]))
    assert read(file).header == replace(found, unseen=("b", "a"))


def test_a_field_that_occurs_twice(file: Path) -> None:
    lines = _lines(file)
    lines[2] = lines[2].replace(b'"call":1,', b'"call":1,"call":1,')
    file.write_bytes(b"".join(lines))
    error = _fails(file, DuplicateFieldError)
    assert (error.line, error.field) == (3, "call")


@pytest.mark.parametrize(
    "line", [b"{\n", b"nothing\n", b"[]\n", b"\xff\n", b"\n", b"[" * 100_000 + b"\n", b'{"seq":NaN}\n']
)
def test_a_line_that_is_not_json(file: Path, line: bytes) -> None:
    lines = _lines(file)
    lines[3] = line
    file.write_bytes(b"".join(lines))
    assert _fails(file, NotJsonError).line == 4


def test_a_line_that_is_too_long_is_refused(file: Path) -> None:
    file.write_bytes(b"".join(_lines(file)[:-1]))
    with file.open("r+b") as out:
        out.truncate(file.stat().st_size + 3 * LONGEST)  # sparse zeros: one endless line
    error, peak = _peak(lambda: _fails(file, LineTooLongError))
    assert peak < 3 * LONGEST
    assert error.line == 7


def test_mode_checks_the_footer_is_damage(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"more")
    assert _fails(file, DamagedTraceError).line == 8
    file.write_bytes(file.read_bytes()[:-4] + _lines(file)[1])
    assert _fails(file, MissingFieldError).line == 7


@pytest.mark.parametrize(
    ("old", "new", "field"), [(b"Block<1>", b"Block<2>", "digest"), (b'{"events":5', b'{"events":6', "events")]
)
def test_a_damaged_file(file: Path, old: bytes, new: bytes, field: str) -> None:
    file.write_bytes(file.read_bytes().replace(old, new))
    assert _fails(file, DamagedTraceError).field == field


def test_other_spacing_and_order_of_fields_is_read(trace: Trace, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow way reads what the fast one reads."""
    lines = _lines(file)
    slow = [
        json.dumps(dict(reversed(json.loads(line).items())), ensure_ascii=True).encode() + b"\n" for line in lines[1:-1]
    ]
    import hashlib

    footer = json.loads(lines[-1])
    footer["digest"] = hashlib.sha256(b"".join(slow)).hexdigest()
    file.write_bytes(b"".join([lines[0], *slow, json.dumps(footer, separators=(",", ":")).encode() + b"\n"]))
    assert read(file).events == trace.events


def test_blocks_end_anywhere(trace: Trace, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (1, 7, 100, 1000):
        monkeypatch.setattr(trace_file.blocks, "BLOCK", size)
        monkeypatch.setattr(trace_file.blocks.Lines.take, "__defaults__", (size,))
        assert read(file).events == trace.events
        assert list(scan(file)) == list(trace)


@pytest.mark.slow
def test_a_large_file_is_not_held_in_memory(tmp_path: Path) -> None:
    """Streamed and compared in the memory of a block (1 MB as text, some 6 as objects), read into less than its size."""
    path = tmp_path / "a.jsonl"
    write(path, calls(40_000))
    size = path.stat().st_size
    assert size > 18e6
    count, streamed = _peak(lambda: sum(1 for _ in scan(path)))
    same, compared = _peak(lambda: trace_file.diff_files(path, path).same)
    trace, held = _peak(lambda: read(path))
    assert same
    assert count == len(trace) == 80_000
    assert streamed < 10e6
    assert compared < 10e6
    assert held < size


def _peak(run: Callable[[], T]) -> tuple[T, int]:
    """Return the result of a function, and its peak memory."""
    tracemalloc.start()
    try:
        return run(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
