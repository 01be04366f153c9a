"""docs/results: what the repository keeps of each runtime and version."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from bridge.runtimes.registry import ORDINARY, runtime
from hook_contract import contract
from hook_contract.conformance.judgement import ERROR, FAIL, NOT_APPLICABLE
from hook_contract.conformance.results.files import read_folder
from hook_contract.program import corpus
from hook_contract.runtimes.runtime import unsupported_reason

RESULTS: Final = read_folder(Path(__file__).parents[2] / "docs" / "results")


def test_there_are_results_of_this_contract_and_of_many_runtimes() -> None:
    assert {result.contract for result in RESULTS} == {contract.load().version}
    assert len(RESULTS) >= 8
    assert {*ORDINARY, "torchsharp", "torchsharp+bridge"} <= {result.runtime for result in RESULTS}


def test_no_result_has_a_failure_that_nobody_explains() -> None:
    bad = {
        (result.runtime, name)
        for result in RESULTS
        for name, runs in result.programs.items()
        if any(run["state"] in (FAIL, ERROR) for run in runs)
    }
    assert bad == set()


@pytest.mark.parametrize("name", ORDINARY)
def test_a_runtime_lacks_no_more_than_its_result_says(name: str) -> None:
    """A clause is not applicable to a runtime that lacks all of its programs: a longer list of what it lacks would hide a clause."""
    (result,) = [item for item in RESULTS if item.runtime == name and item.pytorch.startswith("2.13")]
    programs, tested = corpus(), runtime(name)
    lacking = {
        clause.id
        for clause in contract.load()
        if (mine := [program for program in programs if clause.id in program.clauses])
        and all(unsupported_reason(tested, program) is not None for program in mine)
    }
    assert lacking == {id for id, found in result.clauses.items() if found["state"] == NOT_APPLICABLE}
