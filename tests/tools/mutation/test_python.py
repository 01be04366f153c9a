"""mutation.python, and the score of the model's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mutation.python import mutants

ROOT = Path(__file__).parents[3]


def _bodies(*lines: str) -> list[tuple[str, str]]:
    """Return the mutants of a function of these lines, and their lines."""
    source = "def f(a, b):\n" + "".join(f"    {line}\n" for line in lines)
    made = [(mutant.kind, mutant.source) for mutant in mutants(source)]
    return [(what, "; ".join(line.strip() for line in text.splitlines()[1:])) for what, text in made]


def test_statements_are_deleted_and_neighbours_swapped() -> None:
    assert _bodies("a.x()", "b.y()") == [
        ("deleted", "pass; b.y()"),
        ("swapped", "b.y(); a.x()"),
        ("deleted", "a.x(); pass"),
    ]


def test_conditions_are_negated() -> None:
    assert ("negated", "return a if (not (b)) else 0") in _bodies("return a if b else 0")
    assert ("negated", "return [c for c in a if (not (c > b))]") in _bodies("return [c for c in a if c > b]")
    assert [what for what, _ in _bodies("if a:", "    b()")] == ["deleted", "negated", "deleted"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("self.a = 1", "self.b = 2"),
        ("c = len(a)", "d = [x for x in b]"),
        ("c = next(a)", "d = next(b)"),
        ("if a: raise ValueError", "c = list(b)"),
        ("c = [d for d in b]", "if any(a): return"),
        ("a.x()", "return b"),
    ],
)
def test_what_would_be_the_same_program_is_not_swapped(first: str, second: str) -> None:
    assert "swapped" not in [what for what, _ in _bodies(first, second)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("c = 1", "d = c"),
        ("c = 1", "c = 2"),
        ("c = a()", "d = b"),
        ("c = next(a)", "d = next(a)"),
        ("if a: raise ValueError", "self.c = b"),
        ("if a: raise ValueError", "if b: raise TypeError"),
        ("if a: b()", "c = 1"),
    ],
)
def test_what_could_be_another_program_is_swapped(first: str, second: str) -> None:
    assert ("swapped", f"{second}; {first}") in _bodies(first, second)


def test_imports_docstrings_and_definitions_stay() -> None:
    assert _bodies('"""Says what it does."""', "import os", "c: int", "def g(): ...", "global d") == []


def test_a_mutant_says_where_it_is() -> None:
    (mutant,) = mutants("x = 1\n\n\ndef f():\n    return x\n")
    assert str(mutant) == "line 5, deleted: return x"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["handmade", "model"])
def test_the_corpus_catches_every_hand_made_wrong_runtime_and_nearly_every_mutant_of_the_model(what: str) -> None:
    # In a process of its own, since it forks and this one has imported torch.
    done = subprocess.run(
        [sys.executable, "tools/mutants.py", what],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT EXPLAINED" not in done.stdout
