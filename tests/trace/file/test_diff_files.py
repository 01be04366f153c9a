"""Two files: as bytes, as columns, headers first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridge.trace import Trace
from bridge.trace.diff import diff
from bridge.trace.file import blocks, diff_files, read, write
from bridge.trace.file.errors import DamagedTraceError

from .conftest import HEADER, calls


def _write(path: Path, trace: Trace) -> Path:
    write(path, trace)
    return path


@pytest.mark.parametrize("size", [1, 64, 5000, 1 << 20])
def test_files_with_the_same_events_are_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(blocks, "BLOCK", size)
    a, b = _write(tmp_path / "a.jsonl", calls(50)), _write(tmp_path / "b.jsonl", calls(50, runtime="dotnet"))
    parse = blocks.Parser.parse
    monkeypatch.delattr(blocks.Parser, "parse")
    found = diff_files(a, b)
    assert found.same
    assert (found.compared, found.largest_difference, len(found.pairs), len(found.a)) == (100, 0, 100, 100)
    assert "pytorch and dotnet agree: 100 events" in found.explain()
    monkeypatch.setattr(blocks.Parser, "parse", parse, raising=False)
    assert found.pairs[7] == (found.a[7], found.b[7])
    assert found.a.events == calls(50).events


@pytest.mark.parametrize("size", [200, 1 << 20])
@pytest.mark.parametrize("where", [0, 333, 1999])
def test_what_differs_is_found_as_in_memory(
    tmp_path: Path, size: int, where: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks.Lines.take, "__defaults__", (size,))
    events = list(calls(1000))
    for change in ("value", "lost", "type", "path"):
        other = list(events)
        if change == "value":
            value = replace(other[where].values[0], digest="f" * 32)
            other[where] = replace(other[where], values=(value,))
        elif change == "lost":
            del other[where]
        else:
            other[where] = replace(other[where], **{change: "longer than it was"})
        a, b = Trace("left", events), Trace("right", other)
        found = diff_files(_write(tmp_path / "a.jsonl", a), _write(tmp_path / "b.jsonl", b))
        wanted = diff(a, b)
        assert found.same == wanted.same
        assert not (found.same and change in ("value", "lost"))
        assert (*found.structural, *found.numeric) == (*wanted.structural, *wanted.numeric)
        assert (found.culprit, found.compared, found.notes) == (wanted.culprit, wanted.compared, wanted.notes)
        assert list(found.pairs) == list(wanted.pairs)


def test_equal_blocks_are_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = list(calls(1000))
    a = _write(tmp_path / "a.jsonl", Trace("t", events))
    events[-1] = replace(events[-1], values=events[0].values)
    b = _write(tmp_path / "b.jsonl", Trace("t", events))
    parsed = []
    parse = blocks.Parser.parse

    def counting(self: blocks.Parser, block: bytes, *more: object) -> object:
        parsed.append(len(block))
        return parse(self, block, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(blocks.Parser, "parse", counting)
    monkeypatch.setattr(blocks.Lines.take, "__defaults__", (10_000,))
    assert not diff_files(a, b).same
    assert sum(parsed) < a.stat().st_size * 1.1


@pytest.mark.parametrize(("size", "most"), [(10_000, 1.0), (1 << 20, 2.0)])
def test_blocks_that_differ_in_digests_alone_are_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, most: float
) -> None:
    """And each keeps its own digests; a block that differs in more (the last; of 1 MiB, the only one) is parsed for itself."""
    monkeypatch.setattr(blocks.Lines.take, "__defaults__", (size,))
    parsed = []
    match_lines = blocks.Parser._match_lines

    def counting(self: blocks.Parser, text: bytes, seq: int) -> object:
        parsed.append(len(text))
        return match_lines(self, text, seq)

    monkeypatch.setattr(blocks.Parser, "_match_lines", counting)
    a, b = calls(1000, "a"), calls(1000, "b")
    last = b.events[-1]
    less = replace(last, values=(replace(last.values[0], digest=None),))
    for events, share in ((b.events, 1.0), ((*b.events[:-1], less), most)):
        parsed.clear()
        other = Trace("pytorch", events)
        files = _write(tmp_path / "a.jsonl", a), _write(tmp_path / "b.jsonl", other)
        found, wanted = diff_files(*files), diff(a, other)
        assert (found.a.events, found.b.events) == (a.events, other.events)
        assert list(found.numeric) == list(wanted.numeric)
        assert len(found.numeric) >= 1999
        assert 0 < sum(parsed) < share * files[0].stat().st_size


@pytest.mark.parametrize("size", [64, 1 << 20])
def test_equal_files_with_a_wrong_count_are_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(blocks, "BLOCK", size)
    a, b = _write(tmp_path / "a.jsonl", calls(5)), tmp_path / "b.jsonl"
    a.write_bytes(a.read_bytes().replace(b'{"events":10,', b'{"events":11,'))
    b.write_bytes(a.read_bytes())
    with pytest.raises(DamagedTraceError, match="the number of events is 10, but the footer says 11"):
        diff_files(a, b)


def test_other_inputs_and_weights_are_said_first(tmp_path: Path) -> None:
    trace = calls(3)
    trace.header = replace(HEADER, weights={f"w{index}": "1" * 32 for index in range(9)})
    a = _write(tmp_path / "a.jsonl", trace)
    trace.runtime = "dotnet"
    trace.header = replace(
        HEADER, runtime="dotnet", inputs={"0.0": "2" * 32}, weights={f"w{i}": "3" * 32 for i in range(8)}
    )
    b = _write(tmp_path / "b.jsonl", trace)
    found = diff_files(a, b)
    assert found.explain().splitlines() == [
        "Different inputs: argument 0 differs.",
        "Different weights: w0, w1, w2, w3, w4 and 3 more differ; w8 only in pytorch.",
        "pytorch and dotnet agree: 6 events in the same order, largest difference 0.",
    ]
    assert found.origins == diff(read(a), read(b)).origins
    assert diff_files(a, a).origins == ()


@pytest.mark.parametrize("size", [64, 1 << 20])
@pytest.mark.parametrize("kept", [0, 1, 7, 10])
def test_a_file_without_an_end_is_compared_as_far_as_it_goes(
    tmp_path: Path, kept: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks.Lines.take, "__defaults__", (size,))
    a = _write(tmp_path / "a.jsonl", calls(5))
    lines = a.read_bytes().splitlines(keepends=True)
    b = tmp_path / "b.jsonl"
    b.write_bytes(b"".join(lines[: 1 + kept]) + lines[1 + kept][:9])
    said = (
        f"b.jsonl is incomplete: it has no footer, so its recording did not end. Compared are its {kept} complete event"
    )
    for x, y in ((a, b), (b, a), (b, b)):
        found = diff_files(x, y)
        assert (found.same, found.structural, found.numeric) == (False, (), ())
        assert (len(found.a), len(found.b), len(found.incomplete)) == (kept, kept, 2 if x == y else 1)
        assert found.explain().startswith(said)
        assert f"agree up to there: {kept} event" in found.explain()
        assert tuple(found.a) == calls(5).events[:kept]


def test_differences_before_a_missing_end_are_found(tmp_path: Path) -> None:
    a = _write(tmp_path / "a.jsonl", calls(5))
    events = list(calls(5))
    events[3] = replace(events[3], values=(replace(events[3].values[0], digest="f" * 32),))
    b = _write(tmp_path / "b.jsonl", Trace("other", events))
    b.write_bytes(b"".join(b.read_bytes().splitlines(keepends=True)[:7]))
    found = diff_files(a, b)
    assert [difference.positions for difference in found.numeric] == [(3, 3)]
    assert "b.jsonl is incomplete" in found.explain()
    assert "First difference" in found.explain()


def test_events_of_an_incomplete_file_that_a_complete_one_lacks_are_added(tmp_path: Path) -> None:
    a, b = _write(tmp_path / "a.jsonl", calls(1)), _write(tmp_path / "b.jsonl", calls(5))
    b.write_bytes(b"".join(b.read_bytes().splitlines(keepends=True)[:7]))
    assert {difference.kind for difference in diff_files(a, b).structural} == {"added"}


def test_tolerances_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="zero or more"):
        diff_files(tmp_path / "a", tmp_path / "b", atol=-1)
