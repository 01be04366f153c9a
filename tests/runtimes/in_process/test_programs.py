"""bridge.runtimes.in_process: the corpus on TorchSharp in this process, with Python's hooks on its modules."""

from __future__ import annotations

import pytest

from bridge.conformance.choice import prepare_suite
from bridge.runtimes import csharp
from bridge.runtimes.in_process.programs import CLASS, connected_library
from bridge.runtimes.ledger import ledger
from bridge.runtimes.pytorch.world import TorchWorld
from bridge.runtimes.registry import runtime
from bridge.runtimes.torchsharp import process
from hook_contract.conformance.fuzzer import fuzz
from hook_contract.conformance.judgement import DIVERGES, FAIL, NOT_APPLICABLE, PASS, Judgement
from hook_contract.conformance.suite import run_suite
from hook_contract.program import Program, corpus
from hook_contract.runtimes.runtime import unsupported_reason

NAME = "torchsharp-in-process"
pytestmark = [pytest.mark.dotnet, pytest.mark.inprocess, pytest.mark.usefixtures("on_torchsharp")]


@pytest.fixture(scope="module")
def judgement(on_torchsharp: None) -> Judgement:
    """Run the complete corpus."""
    return run_suite(prepare_suite([NAME]))


def test_every_difference_is_in_the_ledger_and_every_row_occurs(judgement: Judgement) -> None:
    assert not judgement.problems
    assert not [
        (item.ran.program.name, item.ran.variant, item.reason) for item in judgement.outcomes if item.state == FAIL
    ]
    assert not [(row.row.id, row.reason) for row in judgement.rows if row.state == FAIL]
    assert not [(cell.clause, cell.reason) for cell in judgement.cells if cell.state == FAIL]
    assert judgement.passed
    ran = [item for item in judgement.outcomes if item.state in (PASS, DIVERGES)]
    assert len(ran) > 1100
    assert all(item.reason for item in judgement.outcomes if item.state == NOT_APPLICABLE)
    assert judgement.runs.versions[NAME].startswith("TorchSharp 0.107.0, PyTorch 2.1")


def test_what_types_allow_is_as_in_pytorch(judgement: Judgement) -> None:
    """Over ``object``, TorchSharp departs from PyTorch in the number of arguments, in nulls, and in what a Sequential disposes."""
    found = [item for item in judgement.outcomes if item.state == DIVERGES and item.ran.variant == "object"]
    assert {item.row for item in found} == {"BR-35", "BR-36", "BR-37"}
    assert sorted({item.ran.program.name for item in found if item.row == "BR-35"}) == [
        "B-3-length-after-a-shorter-list",
        "B-3-length-after-pre-hooks",
        "P-2-empty-tuple",
        "P-2-value-drops-the-other-arguments",
    ]


def test_random_programs_differ_as_the_ledger_says() -> None:
    score = fuzz(150, 3, [runtime(NAME)], ledger(), reference=runtime("pytorch"), world=TorchWorld)
    assert score.failure is None, score.difference
    assert score.runs.total() > 50


@pytest.mark.parametrize("mode", ["torchsharp", "torchsharp+bridge"])
def test_hooks_in_csharp_are_as_in_a_process_of_its_own(mode: str) -> None:
    """TorchSharp's own hooks, and those of Bridge.TorchSharp, in every program that C#'s interpreter can run."""
    programs = [program for program in corpus() if unsupported_reason(runtime(mode), program) is None]
    assert len(programs) > 100
    for program in programs:
        for form in ("typed", "object"):
            there = process.run(mode, form, (), csharp.to_text(program))
            assert run_in_csharp(mode, form, program) == there, program.name


def run_in_csharp(mode: str, form: str, program: Program) -> str:
    assembly, functions = connected_library()
    answers: list[str] = []
    functions["connect"](
        str(assembly), CLASS, "Run", lambda _, text: answers.append(text), mode, form, csharp.to_text(program)
    )
    return answers[0]
