"""hook_contract.conformance.judgement: each rule with a runtime that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hook_contract.conformance.judgement import (
    DIVERGES,
    ERROR,
    FAIL,
    NOT_APPLICABLE,
    PASS,
    UNTESTED,
    Cell,
    Judgement,
    judge,
)
from hook_contract.conformance.runs import LACKS, RunResult, Runs
from hook_contract.conformance.selection import Selection
from hook_contract.conformance.terminal import verdict
from hook_contract.contract import Contract
from hook_contract.contract.ledger import Divergence

Judged = Callable[..., Judgement]
RAISED = {"event": "raise", "error": "TypeError", "key": ""}
DIFFERS = {"": [{"event": "pre", "hook": "p", "module": "", "args": [3]}, RAISED]}
AS_EXPECTED = {"": [DIFFERS[""][0], {"event": "enter", "module": "", "args": [3]}, {"event": "return", "value": 7}]}


def cell(judgement: Judgement, clause: str) -> Cell:
    (found,) = [item for item in judgement.cells if item.clause == clause]
    return found


def test_pytorch_passes_and_every_cell_has_its_counts(judged: Judged) -> None:
    found = judged()
    assert found.passed
    assert {(item.clause, item.state, item.passed, item.total, item.proofs) for item in found.cells} == {
        ("O-1", PASS, 2, 2, 2), ("O-2", PASS, 2, 2, 2), ("P-1", PASS, 1, 1, 1), ("P-2", UNTESTED, 0, 0, 0),
    }  # fmt: skip


def test_a_difference_fails_the_run_and_every_clause_of_its_program(judged: Judged, wrong: Any) -> None:
    found = judged(wrong({"O-1-b": DIFFERS}))
    assert not found.passed
    (outcome,) = [item for item in found.outcomes if item.state == FAIL]
    assert (outcome.ran.program.name, outcome.difference and outcome.difference.number) == ("O-1-b", 2)
    assert [cell(found, clause).state for clause in ("O-1", "O-2", "P-1")] == [FAIL, FAIL, PASS]
    assert (cell(found, "O-1").passed, cell(found, "O-1").total) == (1, 2)


def test_a_trace_that_is_cut_off_or_too_long_differs(judged: Judged, wrong: Any, program: Any) -> None:
    expected = [dict(event) for event in program("x").expect]
    for trace in (expected[:-1], [*expected, expected[-1]], []):
        assert not judged(wrong({"O-1-a": {"": trace}})).passed


def test_one_wrong_variant_is_enough(judged: Judged, wrong: Any, program: Any) -> None:
    right = [dict(event) for event in program("x").expect]
    found = judged(wrong({"O-1-a": {"typed": right, "object": DIFFERS[""]}}))
    assert [(item.ran.variant, item.state) for item in found.outcomes][:2] == [("typed", PASS), ("object", FAIL)]
    assert (cell(found, "O-1").state, cell(found, "O-1").passed, cell(found, "O-1").total) == (FAIL, 2, 3)


def test_a_must_clause_without_a_passing_program_fails(judged: Judged, wrong: Any, programs: Any) -> None:
    found = judged(wrong(), programs=programs[:3])
    assert (cell(found, "P-1").state, cell(found, "P-1").reason) == (FAIL, "no program tests it")
    assert not found.passed


def test_a_clause_whose_programs_the_runtime_cannot_run_is_not_applicable(
    judged: Judged, wrong: Any, program: Any
) -> None:
    some = (program("O-1-a", "O-1"), program("O-2-a", "O-2"), program("P-1-a", "P-1", identity=True))
    found = judged(wrong(lacks={"identity": "numbers are not objects"}), programs=some)
    assert (cell(found, "P-1").state, cell(found, "P-1").reason) == (
        NOT_APPLICABLE,
        "identity: numbers are not objects",
    )
    assert found.passed


def test_a_run_that_executed_nothing_fails(judged: Judged, wrong: Any) -> None:
    for found in (judged(programs=()), judged(wrong(lacks={"hook:pre": "none"})), judged(wrong(), devices=("cuda",))):
        assert "no program was executed" in found.problems
        assert not found.passed


def test_a_skipped_run_without_a_reason_fails(programs: Any) -> None:
    silent = Runs({"wrong": "1"}, ("cpu",), programs, (RunResult(programs[0], "wrong", "cpu", how=LACKS),))
    found = judge(silent, Contract("1.0", "", ()), (), Selection(programs, (), frozenset(), True))
    assert "O-1-a on wrong cpu: skipped without a reason" in found.problems


def test_an_absent_device_is_untested_with_its_reason(judged: Judged, wrong: Any) -> None:
    found = judged(wrong(), devices=("cpu", "cuda"))
    assert found.passed
    there = [item for item in found.cells if item.device == "cuda" and item.clause == "O-1"]
    assert [(item.state, item.reason) for item in there] == [(UNTESTED, "wrong has no device cuda here")]


def test_a_fault_of_an_adapter_is_an_error_and_no_failure(judged: Judged, wrong: Any) -> None:
    found = judged(wrong(breaks=True))
    assert {item.state for item in found.outcomes} == {ERROR}
    assert found.outcomes[0].reason == "RuntimeError: out of order"
    assert {item.state for item in found.cells} == {ERROR, UNTESTED}
    assert (found.passed, found.failed) == (False, False)


def test_a_program_that_nobody_accepted_fails(judged: Judged, wrong: Any, programs: Any) -> None:
    found = judged(wrong(), programs=(*programs, replace(programs[0], name="O-1-new", expect=None)))
    assert "was not accepted" in next(item.reason for item in found.outcomes if item.state == FAIL)


def test_a_program_that_cites_no_clause_of_the_contract_fails(judged: Judged, wrong: Any, programs: Any) -> None:
    found = judged(wrong(), programs=(*programs, replace(programs[0], name="Y-1-a", clauses=("Y-1",))))
    assert found.problems == ("Y-1 is not a clause of the contract, but is cited by Y-1-a",)
    assert not found.passed


def test_a_clause_of_another_pytorch_is_untested(judged: Judged, wrong: Any, contract: Contract) -> None:
    chapter = contract.chapters[0]
    later = replace(chapter.clauses[0], since="2.20")
    changed = replace(contract, chapters=(replace(chapter, clauses=(later, chapter.clauses[1])), contract.chapters[1]))
    found = judged(wrong({"O-1-a": DIFFERS}), contract=changed)
    assert (cell(found, "O-1").state, cell(found, "O-1").reason) == (
        UNTESTED,
        "O-1 holds from PyTorch 2.20, and this is 2.13.0",
    )
    assert found.passed


def test_a_program_of_another_pytorch_is_untested(judged: Judged, wrong: Any, programs: Any) -> None:
    ended = (replace(programs[0], until="2.13"), *programs[1:])
    found = judged(wrong({"O-1-a": DIFFERS}), programs=ended)
    assert found.passed
    assert found.outcomes[0].reason == "the program holds until PyTorch 2.13, and this is 2.13.0"
    assert judged(wrong(), programs=(replace(programs[0], since="2.14"), *programs[1:])).outcomes[0].state == UNTESTED
    assert judged(wrong(), programs=(replace(programs[0], since="2.13"), *programs[1:])).outcomes[0].state == PASS


@pytest.mark.parametrize(
    ("torch", "on_torch", "pytorch", "state"),
    [
        ("2.16.0", "PyTorch 2.16.0", DIFFERS, UNTESTED),
        ("2.15.9", "PyTorch 2.15.9", DIFFERS, FAIL),
        ("2.16.0", "PyTorch 2.16.0", AS_EXPECTED, FAIL),
        ("2.16.0", "Wrong 2.0", DIFFERS, FAIL),
    ],
    ids=["both differ", "a tested one", "PyTorch does as expected", "not on PyTorch"],
)
def test_what_a_newer_pytorch_does_otherwise_is_said_and_not_judged(
    contract: Contract, programs: Any, torch: str, on_torch: str, pytorch: Any, state: str
) -> None:
    """A difference counts where PyTorch itself does as the program expects, and for a runtime that is not on PyTorch."""
    selection = Selection(programs[:1], ("O-1",), frozenset(), False)
    ran = tuple(
        RunResult(programs[0], name, "cpu", events=tuple(traces[""]))
        for name, traces in (("pytorch", pytorch), ("wrong", DIFFERS))
    )
    runs = Runs({"pytorch": f"PyTorch {torch}", "wrong": on_torch}, ("cpu",), programs[:1], ran)
    found = judge(runs, replace(contract, tested="2.15"), (), selection, torch_version=torch)
    assert found.outcomes[1].state == state
    assert bool(found.note) == (torch == "2.16.0")
    if state == UNTESTED:
        assert found.passed
        assert found.outcomes[1].reason == "untested version: PyTorch 2.16.0 is newer than 2.15"
        assert found.outcomes[1].unjudged
        assert verdict(found).endswith(
            "PyTorch 2.16.0 is newer than 2.15, the newest that was tested: differences are not judged (O-1-a)."
        )


def test_clauses_that_one_program_alone_proves_are_named(judged: Judged, wrong: Any) -> None:
    assert judged(wrong()).single == {"P-1": ("wrong",)}


def test_under_a_filter_only_complete_clauses_need_a_program(judged: Judged, wrong: Any, row: Any) -> None:
    tested = wrong({"O-1-b": DIFFERS})
    rows = listed(row, clauses=("O-1",))
    assert cell(judged(tested, rows, filters=("O-2-a", "O-1-b")), "O-2").state == PASS
    assert cell(judged(tested, rows, filters=("O-1-b",)), "O-2").state == DIVERGES
    both = wrong({"O-1-b": DIFFERS, "O-2-a": DIFFERS})
    rows = listed(row, clauses=("O-1",), programs=("O-1-b", "O-2-a"))
    assert cell(judged(both, rows, filters=("O-2",)), "O-2").state == FAIL


# -- The ledger: strict both ways ---------------------------------------------------------------------------------------


def listed(row: Callable[..., Divergence], **changes: Any) -> tuple[Divergence, ...]:
    return (row(**{"programs": ("O-1-b",), "got": ({"event": "raise", "error": "TypeError"},), **changes}),)


def test_a_listed_difference_passes_as_listed(judged: Judged, wrong: Any, row: Any) -> None:
    found = judged(wrong({"O-1-b": DIFFERS}), listed(row))
    assert found.passed
    (outcome,) = [item for item in found.outcomes if item.state == DIVERGES]
    assert (outcome.row, outcome.reason) == ("BR-1", "It differs")
    assert (cell(found, "O-1").state, cell(found, "O-1").reason) == (DIVERGES, "BR-1")
    assert cell(found, "O-2").state == PASS, "the row is not about O-2, which another program proves"
    assert [(item.state, item.seen) for item in found.rows] == [(PASS, 1)]


def test_a_listed_difference_that_no_longer_happens_fails(judged: Judged, wrong: Any, row: Any) -> None:
    found = judged(wrong(), listed(row))
    assert not found.passed
    assert [item.reason for item in found.outcomes if item.state == FAIL] == [
        "the difference that BR-1 lists no longer occurs"
    ]
    assert [item.state for item in found.rows] == [FAIL]


@pytest.mark.parametrize(
    ("torch", "traces", "state"),
    [
        ("2.16.0", DIFFERS, PASS),
        ("2.16.0", AS_EXPECTED, UNTESTED),
        ("2.16.0", {"": []}, UNTESTED),
        ("2.15.1", AS_EXPECTED, FAIL),
        ("2.15.1", {"": []}, FAIL),
    ],
    ids=["as listed", "no longer", "in another way", "a tested one, no longer", "a tested one, in another way"],
)
def test_a_row_that_a_newer_pytorch_changes_is_untested(
    contract: Contract, programs: Any, row: Any, torch: str, traces: Any, state: str
) -> None:
    """Also where PyTorch itself does as the program expects: what a row describes may be gone there, and not be ours."""
    selection = Selection(programs[1:2], ("O-1", "O-2"), frozenset(), False)
    ran = tuple(
        RunResult(programs[1], name, "cpu", events=tuple(events[""]))
        for name, events in (("pytorch", AS_EXPECTED), ("wrong", traces))
    )
    runs = Runs(dict.fromkeys(("pytorch", "wrong"), f"PyTorch {torch}"), ("cpu",), programs[1:2], ran)
    found = judge(runs, replace(contract, tested="2.15"), listed(row), selection, torch_version=torch)
    (verdict_on_row,) = found.rows
    assert verdict_on_row.state == state
    assert found.passed == (state != FAIL)
    if state == UNTESTED:
        assert (
            verdict_on_row.reason == found.outcomes[1].reason == "untested version: PyTorch 2.16.0 is newer than 2.15"
        )
        assert "differences are not judged (O-1-b)" in verdict(found)


def test_a_listed_program_may_not_differ_in_another_way(judged: Judged, wrong: Any, row: Any) -> None:
    found = judged(wrong({"O-1-b": {"": []}}), listed(row))
    assert [item.reason for item in found.outcomes if item.state == FAIL] == ["differs in another way than BR-1 says"]
    assert [item.state for item in found.rows] == [FAIL]


def test_a_row_must_happen_in_all_that_it_lists(judged: Judged, wrong: Any, row: Any) -> None:
    found = judged(wrong({"O-1-b": DIFFERS}), listed(row, programs=("O-1-*",)))
    assert not found.passed
    assert [(item.state, item.seen) for item in found.rows] == [(FAIL, 1)]


def test_a_row_about_one_variant_excuses_no_other(judged: Judged, wrong: Any, row: Any) -> None:
    tested = wrong({"O-1-b": {"typed/a": DIFFERS[""], "object/a": DIFFERS[""]}})
    found = judged(tested, listed(row, programs=("O-1-b@typed/*",)))
    assert {item.ran.variant: item.state for item in found.outcomes if item.ran.variant} == {
        "typed/a": DIVERGES,
        "object/a": FAIL,
    }


def test_a_must_clause_may_be_excused_by_its_own_row_only(judged: Judged, wrong: Any, row: Any) -> None:
    both = {"O-1-b": DIFFERS, "O-2-a": DIFFERS}
    excused = judged(wrong(both), listed(row, clauses=("O-2",), programs=("O-1-b", "O-2-a")))
    assert (cell(excused, "O-2").state, cell(excused, "O-1").state) == (DIVERGES, PASS)
    other = judged(wrong(both), listed(row, clauses=("O-1",), programs=("O-1-b", "O-2-a")))
    assert (cell(other, "O-2").state, cell(other, "O-2").reason) == (
        FAIL,
        "no passing program, and BR-1 does not name the clause",
    )


def test_a_row_of_an_absent_runtime_or_version_is_untested(judged: Judged, wrong: Any, row: Any) -> None:
    rows = (
        *listed(row, runtime="torchsharp"), *listed(row, id="BR-2", versions=">=3"),
        *listed(row, id="BR-3", devices=("cuda",)), *listed(row, id="BR-4", kind="interface", programs=(), got=()),
    )  # fmt: skip
    found = judged(wrong(), rows)
    assert found.passed
    assert [(item.state, item.reason) for item in found.rows] == [
        (UNTESTED, "torchsharp is not in this run"),
        (UNTESTED, "it is about >=3, and this is Wrong 2.0"),
        (UNTESTED, "a run of its programs was not made or could not be judged"),
        (UNTESTED, "no program can show it"),
    ]


def test_a_row_that_was_shown_by_hand_alone_is_untested(judged: Judged, wrong: Any, row: Any) -> None:
    found = judged(wrong(), (row(shown_by=("O-1-b",)),))
    assert found.passed
    assert [(item.state, item.reason) for item in found.rows] == [
        (UNTESTED, "shown only by programs that were run by hand: O-1-b")
    ]


def test_a_row_whose_programs_are_in_no_corpus_fails(judged: Judged, wrong: Any, row: Any) -> None:
    found = judged(wrong(), listed(row, programs=("gone-*",)))
    assert [(item.state, item.reason) for item in found.rows] == [(FAIL, "no run shows its difference")]
    assert not found.passed
    assert judged(wrong(), listed(row, programs=("gone-*",)), filters=("O-1",)).rows[0].state == UNTESTED


def test_each_pattern_of_a_row_is_of_a_program_and_a_variant_that_ran(judged: Judged, wrong: Any, row: Any) -> None:
    tested = wrong({"O-1-b": DIFFERS})
    for gone in ("gone-*", "O-1-*@typed/*"):
        found = judged(tested, listed(row, programs=("O-1-b", gone)))
        assert [(item.state, item.reason) for item in found.rows] == [
            (FAIL, f"it lists programs that were not run: {gone}")
        ]
        assert not found.passed
        assert judged(tested, listed(row, programs=("O-1-b", gone)), filters=("O-1",)).rows[0].state == PASS


def test_the_verdict_is_a_function_of_the_run_alone(judged: Judged, wrong: Any) -> None:
    tested = wrong({"O-1-b": DIFFERS})
    assert judged(tested) == judged(tested)
