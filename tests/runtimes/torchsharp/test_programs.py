"""bridge.runtimes.torchsharp: the corpus on TorchSharp, by its own hooks and by ours, in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.conformance.choice import prepare_suite
from bridge.runtimes.ledger import ledger
from bridge.runtimes.pytorch.world import TorchWorld
from bridge.runtimes.registry import runtime
from bridge.runtimes.torchsharp import process
from bridge.runtimes.torchsharp.programs import passive_hooks
from bridge.torchsharp.process.errors import TorchSharpNotFound
from bridge.torchsharp.process.library_search import VARIABLE
from hook_contract.conformance.fuzzer import fuzz
from hook_contract.conformance.judgement import DIVERGES, FAIL, NOT_APPLICABLE, PASS, Judgement
from hook_contract.conformance.suite import run_suite
from hook_contract.program import Program, corpus, parse
from hook_contract.runtimes.runtime import unsupported_reason

pytestmark = pytest.mark.dotnet


@pytest.fixture(scope="module")
def judgements(on_torchsharp: None) -> dict[str, Judgement]:
    """Run the complete corpus in both modes."""
    return {name: run_suite(prepare_suite([name])) for name in ("torchsharp", "torchsharp+bridge")}


def _program(*steps: dict[str, object], tree: dict[str, object] | None = None) -> Program:
    given = {"name": "p", "clauses": [], "about": "", "tree": tree or {"kind": "leaf"}, "steps": list(steps)}
    return parse(given, validate=False)


@pytest.mark.parametrize("name", ["torchsharp", "torchsharp+bridge"])
def test_every_difference_is_in_the_ledger_and_every_row_occurs(judgements: dict[str, Judgement], name: str) -> None:
    judgement = judgements[name]
    assert not judgement.problems
    assert not [
        (item.ran.program.name, item.ran.variant, item.reason) for item in judgement.outcomes if item.state == FAIL
    ]
    assert not [(row.row.id, row.reason) for row in judgement.rows if row.state == FAIL]
    assert not [(cell.clause, cell.reason) for cell in judgement.cells if cell.state == FAIL]
    assert judgement.passed
    ran = [item for item in judgement.outcomes if item.state in (PASS, DIVERGES)]
    assert len(ran) > 200
    assert all(item.reason for item in judgement.outcomes if item.state == NOT_APPLICABLE)
    assert judgement.runs.versions == {name: "TorchSharp 0.107.0, libtorch 2.10.0.0, own process"}


def test_every_row_about_torchsharps_hooks_has_programs() -> None:
    rows = [row for row in ledger() if row.runtime == "torchsharp" and row.kind == "contract"]
    assert len(rows) > 10
    assert [row.id for row in rows if not row.programs] == []


def test_what_types_allow_is_as_in_pytorch(judgements: dict[str, Judgement]) -> None:
    """Over ``object``, our registry departs from PyTorch in the number of arguments, in nulls, and as Bridge.Hooks does."""
    outcomes = judgements["torchsharp+bridge"].outcomes
    found = [item for item in outcomes if item.state == DIVERGES and item.ran.variant == "object"]
    assert {item.row for item in found} == {"BR-26", "BR-27", "BR-29", "BR-30", "BR-31", "BR-32", "BR-33", "BR-34"}
    numbers = [item.ran.program.name for item in found if item.row == "BR-26"]
    assert sorted(numbers) == ["P-2-empty-tuple", "P-2-value-drops-the-other-arguments"]


@pytest.mark.usefixtures("on_torchsharp")
def test_random_programs_differ_as_the_ledger_says() -> None:
    score = fuzz(150, 3, [runtime("torchsharp+bridge")], ledger(), reference=runtime("pytorch"), world=TorchWorld)
    assert score.failure is None, score.difference
    assert score.runs.total() > 50


@pytest.mark.parametrize("name", ["torchsharp", "torchsharp+bridge"])
def test_what_cannot_be_said_has_a_reason(name: str) -> None:
    reasons = [unsupported_reason(runtime(name), program) for program in corpus()]
    assert all(reason is None or reason for reason in reasons)
    assert 100 < sum(reason is None for reason in reasons) < len(reasons)


def test_hooks_that_only_look_on_are_those_of_the_root_without_actions() -> None:
    hooks = [
        {"do": "register", "hook": "a", "kind": "pre"},
        {"do": "register", "hook": "b", "kind": "pre", "actions": [{"add": 1}]},
        {"do": "register", "hook": "c", "kind": "pre", "on": "x"},
        {"do": "register", "hook": "d", "kind": "forward"},
        {"do": "register", "hook": "d", "kind": "forward", "on": "x"},
        {"do": "register", "hook": "e", "kind": "forward"},
    ]
    assert passive_hooks(_program(*hooks)) == ("a", "e")
    assert passive_hooks(_program(*hooks, tree={"kind": "recurse"})) == ()


def test_without_a_torchsharp_it_is_said_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    process.started.cache_clear()
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path))
    for value, words in (("", f"Set {VARIABLE} to a folder"), (str(tmp_path), "there is no TorchSharp.dll in")):
        monkeypatch.setenv(VARIABLE, value)
        with pytest.raises(TorchSharpNotFound, match=words):
            runtime("torchsharp").version()
