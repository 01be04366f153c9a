"""Exceptions and outcomes at the boundary: every case of ``outcomes.py``, in one process for all of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = (
    "re_entry_profile",
    "re_entry_trace",
    "re_entry_collection",
    "re_entry_signal",
    "re_entry_load",
    "interrupt_then_an_error",
    "interrupt_then_a_failure_of_csharp",
    "causes",
    "thrown_twice",
    "handled_frames",
    "frames_of_tasks",
    "tensors_of_frames",
    "kept_by_csharp",
    "tasks_have_causes",
    "tasks_have_interrupts",
    "odd_exceptions",
    "context_of_a_failure",
)
pytestmark = pytest.mark.sdk


@pytest.fixture(scope="module")
def failing(build_csharp: Callable[..., Path]) -> Path:
    """The assembly of Failing.cs."""
    return build_csharp({"Failing.cs": (HERE / "Failing.cs").read_text(encoding="utf-8")}, "Failing")


@pytest.fixture(scope="module")
def outcomes(failing: Path, dotnet: object) -> dict[str, str]:
    """The traceback of each case, empty where it holds; a case that ended the process, and those after it, have none."""
    return run(failing, CASES)


def run(assembly: Path, cases: tuple[str, ...]) -> dict[str, str]:
    """Runs cases in a process; with what it said at its end under the name ``end`` when it did not end well."""
    done = subprocess.run(
        [sys.executable, str(HERE / "outcomes.py"), str(assembly), *cases],
        capture_output=True,
        text=True,
        errors="replace",
        cwd=HERE.parents[1],
    )
    found = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    found["end"] = "" if done.returncode == 0 and "" in found else f"exit {done.returncode}: {done.stderr[-3000:]}"
    return found


@pytest.mark.parametrize("case", [*CASES, "end"])
def test_outcome(outcomes: dict[str, str], case: str) -> None:
    """The docstring of the function in ``outcomes.py`` says what holds."""
    assert case in outcomes, f"the process ended before {case}: {outcomes['end']}"
    assert not outcomes[case], outcomes[case]


@pytest.mark.slow
def test_re_entry_by_signals_for_long(failing: Path, dotnet: object) -> None:
    """20,000 calls under a timer whose handler runs other models."""
    found = run(failing, ("re_entry_signal_long",))
    assert found == {"re_entry_signal_long": "", "": "", "end": ""}, found
