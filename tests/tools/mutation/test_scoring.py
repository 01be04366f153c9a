"""mutation.scoring: with the real model, in processes of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="a mutant's memory and time are limited by the module resource, POSIX's"
)
TOOLS = Path(__file__).parents[3] / "tools"
Verdict = Callable[..., list[str | None]]


@pytest.fixture
def verdict(run_snippet: Callable[..., Any]) -> Verdict:
    """Return ``verdict(old, new, programs)``: the model's name, the program that caught it, and the difference."""

    def run(old: str, new: str, programs: str = "O-1", snippet: str = "verdict") -> list[str | None]:
        done = run_snippet("scoring", snippet, old, new, programs, env={"PYTHONPATH": str(TOOLS)})
        assert done.returncode == 0, done.stderr
        found: list[str | None] = json.loads(done.stdout)
        return found

    return run


def test_the_right_model_survives_the_entire_corpus(verdict: Verdict) -> None:
    assert verdict("", "", "") == ["it", None, ""]


def test_what_the_process_has_mapped_before_is_not_counted(verdict: Verdict) -> None:
    assert verdict("", "", snippet="crowded") == ["it", None, ""]


@pytest.mark.parametrize(
    ("new", "how"),
    [
        ("self.owners = (module, GLOBAL_HOOKS)", "another trace"),
        ("raise SystemExit(3)", "left by SystemExit"),
        ("import os; os._exit(3)", "the process died"),
        ("module = [module] * (1 << 40)", "another trace"),  # the program raised MemoryError
    ],
)
def test_a_wrong_one_is_caught_whatever_it_does(verdict: Verdict, new: str, how: str) -> None:
    name, caught, found = verdict("self.owners = (GLOBAL_HOOKS, module)", new)
    assert (name, found) == ("it", how)
    assert caught is not None


def test_one_that_does_not_load_is_caught(verdict: Verdict) -> None:
    assert verdict("GLOBAL_HOOKS = Hooked()", "GLOBAL_HOOKS = 1 / 0") == [
        "it",
        "",
        "does not even load: ZeroDivisionError",
    ]
