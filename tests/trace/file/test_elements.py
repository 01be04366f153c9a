"""Elements of tensors in the file beside."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bridge.trace import Event, Trace
from bridge.trace.diff import diff
from bridge.trace.file import diff_files, read, write
from bridge.trace.file.elements import ElementsFile, beside
from bridge.trace.file.errors import TraceValuesError

from .conftest import every_event, tensor


@pytest.fixture
def full(tmp_path: Path) -> Path:
    write(tmp_path / "a.jsonl", Trace("t", every_event(full=True)))
    return tmp_path / "a.jsonl"


def test_elements_come_back(full: Path) -> None:
    original, found = every_event(full=True), read(full)
    seen = 0
    for event, other in zip(original, found, strict=True):
        for x, y in zip(event.values, other.values, strict=True):
            assert (x.data is None) == (y.data is None)
            if x.data is not None and y.data is not None:
                assert x.data.dtype == y.data.dtype
                assert np.array_equal(x.data, y.data)
                seen += 1
    assert seen == 8
    assert diff(Trace("t", original), found).same


def test_equal_tensors_stand_there_once(full: Path) -> None:
    from safetensors import safe_open

    with safe_open(beside(full), framework="numpy") as file:
        assert len(list(file.keys())) == 7


def test_elements_without_a_digest_get_one(tmp_path: Path) -> None:
    values = (tensor([1.0, 2.0], full=True, hashed=False),)
    write(tmp_path / "a.jsonl", Trace("t", [Event(0, "", "M", "pre", 0, -1, values=values)]))
    found = read(tmp_path / "a.jsonl")[0].values[0]
    assert found.digest == tensor([1.0, 2.0]).digest
    assert found.data is not None


def test_tolerances_hold_between_files(tmp_path: Path) -> None:
    for name, number in (("a", 100.0), ("b", 100.5)):
        events = [Event(0, "", "M", "pre", 0, -1, values=(tensor([number], full=True),))]
        write(tmp_path / f"{name}.jsonl", Trace(name, events))
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    assert diff_files(a, b).numeric[0].absolute == 0.5
    assert diff_files(a, b, atol=0.6).same
    beside(b).unlink()  # only the lines came along: the digests tell
    assert diff_files(a, b, atol=0.6).numeric[0].absolute == float("inf")


def test_a_file_of_values_that_does_not_fit(full: Path, tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", Trace("t", [Event(0, "", "M", "pre", 0, -1, values=(tensor([9.0], full=True),))]))
    place = beside(full)
    content = place.read_bytes()
    place.write_bytes(beside(tmp_path / "b.jsonl").read_bytes())
    with pytest.raises(TraceValuesError, match="are missing"):
        read(full)[0]
    place.write_bytes(b"nothing")
    with pytest.raises(TraceValuesError, match="cannot be read"):
        read(full)
    place.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(TraceValuesError, match="do not match their digest"):
        read(full)[0]


def test_files_of_values_are_not_shared(tmp_path: Path) -> None:
    """Names that differ in their ending alone have values of their own."""
    places = [
        tmp_path / name
        for name in ("run", "run.jsonl", "run.txt", "run.jsonl.jsonl", "run.values", "run.elements.jsonl")
    ]
    for number, path in enumerate(places):
        write(path, Trace("t", [Event(0, "", "M", "pre", 0, -1, values=(tensor([float(number)], full=True),))]))
    assert len({beside(path) for path in places}) == len(places)
    assert [read(path)[0].values[0].data.tolist() for path in places] == [[number] for number in range(len(places))]  # type: ignore[union-attr]


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")
def test_a_pair_can_be_read_whenever_its_writer_was_killed(tmp_path: Path) -> None:
    """Old trace or new: its elements are there; nothing else stays behind the next write."""
    path = tmp_path / "a.jsonl"

    def run(number: int, operations: int) -> bool:
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("killed_writer.py"), path, str(number), str(operations)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, -9), done.stderr
        return done.returncode == 0

    assert run(0, 100)
    numbers = [0]
    while not run(len(numbers), len(numbers) - 1):
        found = read(path)[0].values[0].data
        assert found is not None
        assert found.tolist() in ([float(numbers[-1])], [float(len(numbers))])
        numbers.append(int(found[0]))
    assert len(numbers) > 3, "the values are put in place, then the trace, then the values alone"
    assert read(path)[0].values[0].data.tolist() == [len(numbers)]  # type: ignore[union-attr]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.jsonl", "a.values.safetensors"]


def test_a_trace_without_elements_takes_those_of_the_one_it_replaces_away(full: Path) -> None:
    write(full, Trace("t", every_event()))
    assert not beside(full).exists()
    beside(full).write_bytes(b"somebody else's")
    write(full, Trace("t", every_event()))
    assert beside(full).read_bytes() == b"somebody else's"


def test_a_write_succeeds_although_the_old_elements_stay(full: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: ElementsFile) -> None:
        raise PermissionError("the file of values is in use")

    monkeypatch.setattr(ElementsFile, "after", fail)
    write(full, Trace("t", every_event()))
    assert not read(full).columns.data
    assert beside(full).exists()
