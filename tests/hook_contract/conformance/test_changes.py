"""hook_contract.conformance.changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hook_contract.conformance.changes import changes
from hook_contract.conformance.judgement import Judgement
from hook_contract.conformance.report_file import ConformanceReport, read, text, write

Judged = Callable[..., Judgement]
RAISED = {"event": "raise", "error": "TypeError", "key": ""}


def report(folder: Path, judgement: Judgement) -> ConformanceReport:
    path = folder / f"{len(list(folder.iterdir()))}.jsonl"
    write(path, text(judgement, contract="1.0"))
    return read(path)


def test_equal_verdicts_have_no_changes(judged: Judged, wrong: Any, tmp_path: Path) -> None:
    assert changes(report(tmp_path, judged(wrong())), report(tmp_path, judged(wrong()))) == ()


def test_what_broke_is_listed_in_cells_and_programs(judged: Judged, wrong: Any, tmp_path: Path) -> None:
    old, new = report(tmp_path, judged(wrong())), report(tmp_path, judged(wrong({"O-2-a": {"": [RAISED]}})))
    found = changes(old, new)
    assert [str(change) for change in found] == [
        "O-2 wrong cpu: pass 2/2 -> fail 1/2",
        "O-2-a wrong cpu: pass -> fail, from event 1",
    ]
    assert all(change.worse for change in found)
    assert not any(change.worse for change in changes(new, old))


def test_another_wrong_trace_is_a_change(judged: Judged, wrong: Any, tmp_path: Path) -> None:
    old, new = (report(tmp_path, judged(wrong({"O-2-a": {"": trace}}))) for trace in ([RAISED], [RAISED, RAISED]))
    assert [(change.kind, change.name, change.worse) for change in changes(old, new)] == [
        ("program", "O-2-a wrong cpu", False)
    ]


def test_what_is_gone_and_what_is_new_is_listed(judged: Judged, wrong: Any, programs: Any, tmp_path: Path) -> None:
    old, new = (
        report(tmp_path, judged(wrong(), programs=programs[1:])),
        report(tmp_path, judged(wrong(), programs=programs[:3])),
    )
    found = {(change.kind, change.name): (change.was, change.now) for change in changes(old, new)}
    assert found["program", "O-1-a wrong cpu"] == ("", "pass")
    assert found["program", "P-1-a wrong cpu"] == ("pass", "")
    assert found["cell", "P-1 wrong cpu"] == ("pass 1/1", "fail 0/0")


def test_another_version_of_a_runtime_is_a_change(judged: Judged, wrong: Any, tmp_path: Path) -> None:
    old, new = report(tmp_path, judged(wrong())), report(tmp_path, judged())
    assert ("runtime", "pytorch") in {(change.kind, change.name) for change in changes(old, new)}


def test_a_new_problem_is_a_change_for_the_worse(judged: Judged, wrong: Any, tmp_path: Path) -> None:
    old, new = (report(tmp_path, judged(wrong(variants=variants))) for variants in (("",), ("", "unseen")))
    assert [(change.kind, str(change), change.worse) for change in changes(old, new)] == [
        ("problem", "wrong ran no program in its variant 'unseen': was not there -> fail", True)
    ]
    assert [change.worse for change in changes(new, old)] == [False]
