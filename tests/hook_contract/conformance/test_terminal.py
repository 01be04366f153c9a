"""hook_contract.conformance.terminal: what a terminal says."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from hook_contract.conformance import terminal
from hook_contract.conformance.judgement import FAIL, UNTESTED, Judgement
from hook_contract.conformance.runs import ABSENT
from hook_contract.contract import Contract

Judged = Callable[..., Judgement]
RAISED = {"event": "raise", "error": "TypeError", "key": ""}


def printed(*items: Any) -> str:
    text = io.StringIO()
    console = Console(file=text, width=200, color_system=None)
    for item in items:
        console.print(item)
    return text.getvalue()


def test_the_matrix_is_condensed_by_chapter(judged: Judged, contract: Contract, wrong: Any) -> None:
    text = printed(terminal.matrix(judged(wrong({"O-2-a": {"": [RAISED]}})), contract))
    assert [line.split() for line in text.splitlines()] == [
        ["Clauses", "wrong"],
        ["O", "Order", "✓1", "✗1", "3/4"],
        ["P", "Pre", "hooks", "✓1", "?1", "1/1"],
    ]


@pytest.mark.parametrize("width", [30, 60])
def test_a_narrow_matrix_continues_below_and_cuts_no_number(
    judged: Judged, contract: Contract, wrong: Any, width: int
) -> None:
    text = io.StringIO()
    found = terminal.matrix(judged(wrong(), devices=("cpu", "cuda")), contract)
    Console(file=text, width=width, color_system=None).print(found)
    whole = printed(found).split()
    assert sorted(word for word in text.getvalue().split() if "/" in word) == sorted(
        word for word in whole if "/" in word
    )
    assert text.getvalue().count("Clauses") == (2 if width == 30 else 1)
    assert all(len(line) <= width for line in text.getvalue().splitlines())


def test_devices_stand_in_the_heads_when_there_are_several(judged: Judged, contract: Contract, wrong: Any) -> None:
    text = printed(terminal.matrix(judged(wrong(), devices=("cpu", "cuda")), contract))
    assert text.split()[1:5] == ["wrong", "cpu", "wrong", "cuda"]


def test_a_failing_clause_is_shown_with_its_text_and_the_first_difference(
    judged: Judged, contract: Contract, wrong: Any
) -> None:
    text = printed(*terminal.failures(judged(wrong({"O-2-a": {"typed": [RAISED]}})), contract))
    assert text.splitlines() == [
        "O-2 on wrong",
        "  The text of O-2.",
        "  O-2-a on wrong (typed): differs from PyTorch",
        "    event 1 of 3",
        "      expected pre p (root): args (3)",
        "      got      raise TypeError",
    ]


def test_what_a_newer_pytorch_does_otherwise_is_shown_with_the_first_difference(
    judged: Judged, contract: Contract, wrong: Any
) -> None:
    """Once for a program, however many runtimes and variants have it."""
    newer = wrong({"O-2-a": {"typed": [RAISED], "object": [RAISED]}}, on="PyTorch 2.16.0")
    found = judged(newer, contract=replace(contract, tested="2.15"), torch_version="2.16.0")
    assert found.passed
    assert printed(*terminal.failures(found, contract)) == ""
    assert printed(*terminal.unjudged(found)).splitlines() == [
        "O-2-a on wrong (typed): untested version: PyTorch 2.16.0 is newer than 2.15",
        "  event 1 of 3",
        "    expected pre p (root): args (3)",
        "    got      raise TypeError",
    ]
    assert printed(*terminal.unjudged(judged())) == ""


def test_a_clause_without_a_program_is_shown(judged: Judged, contract: Contract, wrong: Any, programs: Any) -> None:
    text = printed(*terminal.failures(judged(wrong(), programs=programs[:3]), contract))
    assert text.splitlines() == ["P-1 on wrong", "  The text of P-1.", "  no program tests it"]


def test_healed_rows_and_problems_are_shown(judged: Judged, contract: Contract, wrong: Any, row: Any) -> None:
    rows = (row(programs=("gone",), got=({"event": "raise"},)),)
    text = printed(*terminal.failures(judged(wrong(), rows), contract))
    assert text == "BR-1 (It differs): no run shows its difference\n"
    assert "no program was executed" in printed(*terminal.failures(judged(programs=()), contract))


def test_the_failed_runs_that_are_not_listed_are_counted(judged: Judged, contract: Contract) -> None:
    found = judged()
    failed = (replace(found.outcomes[0], state=FAIL),) * (terminal.LISTED + 2)
    text = printed(*terminal.failures(replace(found, outcomes=failed, cells=()), contract))
    assert text.splitlines()[-1] == "… and 2 more runs"


def test_the_verdict_and_the_single_proofs_are_one_line_each(judged: Judged, wrong: Any) -> None:
    found = judged(wrong())
    assert terminal.verdict(found) == (
        "Conforms: Wrong 2.0. 4 clause cells: 3 pass, 1 untested; 4 runs: 4 pass; 0 ledger rows: none."
    )
    absent = tuple(
        replace(item, ran=replace(item.ran, how=ABSENT, device="cuda"), state=UNTESTED) for item in found.outcomes[:3]
    )
    assert "4 runs: 1 pass, 3 untested (3 of the untested lack the device: wrong on cuda); 0 ledger" in (
        terminal.verdict(replace(found, outcomes=absent + found.outcomes[3:]))
    )
    assert terminal.single(found) == "Shown by a single program: P-1."
    assert terminal.verdict(judged(wrong(breaks=True))).startswith("Not judged, since an adapter failed: Wrong 2.0.")
