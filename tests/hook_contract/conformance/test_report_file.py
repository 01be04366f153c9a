"""hook_contract.conformance.report_file: what is written is read back completely, or refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hook_contract.conformance.errors import ReportError
from hook_contract.conformance.judgement import Judgement
from hook_contract.conformance.report_file import read, summary, text, write

Judged = Callable[..., Judgement]
RAISED = {"event": "raise", "error": "TypeError", "key": ""}


@pytest.fixture
def report(judged: Judged, wrong: Any, row: Any, tmp_path: Path) -> Path:
    """Return a report with every kind of line."""
    tested = wrong({"O-1-b": {"": [RAISED]}}, lacks={"identity": "\u2028none\n"})
    found = judged(tested, (row(runtime="torchsharp"),))
    path = tmp_path / "report.jsonl"
    write(path, text(found, contract="1.0", chosen=["O-*"], seconds=1.25))
    return path


def test_a_report_is_read_as_it_was_written(report: Path) -> None:
    found = read(report)
    assert (found.header["contract"], found.header["runtimes"], found.header["filter"]) == (
        "1.0",
        {"wrong": "Wrong 2.0"},
        ["O-*"],
    )
    assert [item["program"] for item in found.programs] == ["O-1-a", "O-1-b", "O-2-a", "P-1-a"]
    failing = found.programs[1]
    assert failing["first"] == {
        "number": 1,
        "expected": {"event": "pre", "hook": "p", "module": "", "args": [3]},
        "got": RAISED,
    }
    assert failing["trace"] == [RAISED]
    assert "trace" not in found.programs[0], "a trace that is as expected is in the program"
    assert found.footer["programs"] == {
        "pass": 3,
        "fail": 1,
        "error": 0,
        "diverges as listed": 0,
        "not applicable": 0,
        "untested": 0,
    }
    assert (found.footer["passed"], found.footer["seconds"]) == (False, 1.25)
    assert [item["id"] for item in found.divergences] == ["BR-1"]


def test_equal_verdicts_are_equal_bytes_between_header_and_footer(judged: Judged, wrong: Any) -> None:
    first, other = (text(judged(wrong()), contract="1.0", seconds=seconds).splitlines() for seconds in (1.0, 2.0))
    assert first[1:-1] == other[1:-1]
    assert json.loads(first[-1])["digest"] == json.loads(other[-1])["digest"]
    assert first[-1] != other[-1]


def test_problems_are_in_the_report(judged: Judged, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write(path, text(judged(programs=()), contract="1.0"))
    assert read(path).problems == ("no program was executed",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:-1], "has no footer: the file is incomplete"),
        (lambda lines: [*lines[:-1], lines[-1][:40]], "invalid JSON"),
        (lambda lines: lines[1:], "its first line is not a header"),
        (lambda lines: [lines[0], *lines[2:]], "was changed after it was written"),
        (lambda lines: [*lines, lines[-1]], "more than one header or footer"),
        (lambda lines: [lines[0], lines[1].replace('"pass"', '"fine"'), *lines[2:]], r"line 2: \$"),
        (lambda lines: [], "its first line is not a header"),
        (lambda lines: ["[1]\n"], "line 1"),
        (lambda lines: [lines[0], "[" * 100_000 + "\n", *lines[2:]], "line 2: invalid JSON"),
    ],
)
def test_an_incomplete_report_is_refused(report: Path, change: Callable[[list[str]], list[str]], message: str) -> None:
    lines = report.read_text(encoding="utf-8").splitlines(keepends=True)
    report.write_text("".join(change(lines)), encoding="utf-8")
    with pytest.raises(ReportError, match=message):
        read(report)


def test_the_summary_names_what_fails(judged: Judged, wrong: Any) -> None:
    found = summary(judged(wrong({"P-1-a": {"": [RAISED]}})), contract="1.0", seconds=2)
    assert found["passed"] is False
    assert [(item["line"], item.get("program") or item.get("clause")) for item in found["failures"]] == [
        ("program", "P-1-a"),
        ("cell", "P-1"),
    ]
    assert found["cells"]["fail"] == 1
    json.dumps(found)
