"""attack.running: what is wrong on purpose is caught, by its name, with the case; what is right is not. Without .NET."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from attack.running import ROOT, Attack, Outcome

Caught = Callable[..., list[Outcome]]


@pytest.fixture
def caught(monkeypatch: pytest.MonkeyPatch) -> Caught:
    """Return ``caught(names, cases, hang=…, memory=False)``: the outcomes of kinds in snippets/wrongs.py."""
    snippets = str(Path(__file__).with_name("snippets"))
    monkeypatch.setenv("PYTHONPATH", snippets)
    monkeypatch.syspath_prepend(snippets)

    def run(*names: str, cases: int = 1, hang: float = 60.0, memory: bool = False) -> list[Outcome]:
        attack = Attack(
            1,
            ROOT / "no.dll",
            [f"{name.partition('_')[0] if name.startswith('alone') else 'together'}:wrongs.{name}" for name in names],
            1,
            hang,
        )
        return attack.run(range(cases), memory)

    return run


@pytest.mark.parametrize(
    ("name", "problem", "text"),
    [
        ("right", None, ""),
        ("wrong", "wrong", "another result"),
        ("raises", "wrong", "KeyError: 'in the case itself'"),
        ("crash", "crash", "the process ended by SIGSEGV"),
        ("ends", "crash", "the process ended by 0"),
        ("leaves_a_mode", "wrong", "it left behind: gradients True -> False"),
        ("leaves_a_thread", "wrong", "'left'"),
        ("unraisable", "wrong", "raised where nobody catches it: ['ZeroDivisionError"),
        ("alone_right", None, ""),
        ("alone_other_code", "wrong", "it ended with 4, not 3"),
        ("alone_crash", "crash", "it was ended by SIGSEGV"),
        ("alone_early", "wrong", "it ended with 0 before its end"),
        ("alone_wrong", "wrong", "another result"),
    ],
)
@pytest.mark.slow  # each starts processes that import PyTorch
def test_each_is_told_by_its_name(caught: Caught, name: str, problem: str | None, text: str) -> None:
    (outcome,) = caught(name)
    assert (outcome.problem, outcome.index) == (problem, 0), outcome
    assert text in outcome.text


@pytest.mark.parametrize("name", ["hang", "hang_with_the_gil"])
@pytest.mark.slow  # the same
def test_a_hang_is_ended_and_shows_the_stacks(caught: Caught, name: str) -> None:
    (outcome,) = caught(name, hang=5.0)
    assert outcome.problem == "hang"
    assert f"in {name}" in outcome.text


@pytest.mark.slow  # the same
def test_the_cases_after_a_crash_run_in_another_process(caught: Caught) -> None:
    outcomes = caught("right", "crash", cases=12)
    assert sorted(outcome.index for outcome in outcomes) == list(range(12))
    assert {(outcome.kind, outcome.problem) for outcome in outcomes} == {
        ("together:wrongs.right", None),
        ("together:wrongs.crash", "crash"),
    }


@pytest.mark.slow  # the same
def test_growth_is_seen_over_a_worker_and_in_rounds_of_a_kind(caught: Caught) -> None:
    """80 MiB in a worker's cases after the first 100; 12 MiB in each round."""
    growth = [outcome.text for outcome in caught("grows", cases=150, memory=True) if outcome.problem == "growth"]
    assert len(growth) == 2, growth
    assert growth[0].startswith("a worker grew by")
    assert growth[1].startswith("every round of together:wrongs.grows grows by")
    assert not [outcome for outcome in caught("right", cases=150, memory=True) if outcome.problem]


@pytest.mark.slow  # the same
def test_a_wrong_result_in_a_round_is_reported(caught: Caught) -> None:
    """A round repeats cases that other workers ran once."""
    (outcome,) = [outcome for outcome in caught("wrong_again", memory=True) if outcome.problem]
    assert (outcome.index, outcome.kind, outcome.problem) == (0, "together:wrongs.wrong_again", "wrong")
    assert outcome.text == "in round 1 of the kind alone: another result at the second time"


@pytest.mark.slow  # the same
def test_rounds_measure_no_compiler_that_is_at_work(caught: Caught) -> None:
    """In them .NET compiles each method once, at its first call."""
    assert not [outcome for outcome in caught("grows_by_tiers", memory=True) if outcome.problem]
