"""mutation.handmade and mistake; that the corpus catches them all is tested with the mutants."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from mutation.handmade import WRONGS, wrong_models
from mutation.mistake import NotThere, Wrong
from mutation.scoring import SOURCES

ROOT = Path(__file__).parents[3]


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    assert len(WRONGS) >= 40
    assert len({wrong.name for wrong in WRONGS}) == len(WRONGS)
    assert len({wrong.about for wrong in WRONGS}) == len(WRONGS)


def test_each_is_another_program_that_compiles() -> None:
    right = {name: ROOT.joinpath(*name.split(".")).with_suffix(".py").read_text("utf-8") for name in SOURCES}
    found: set[str] = set()
    for wrong, sources in wrong_models(right):
        assert list(sources) == [wrong.module]
        changed = ast.dump(ast.parse(sources[wrong.module]))
        assert changed != ast.dump(ast.parse(right[wrong.module])), wrong.name
        assert changed not in found, f"{wrong.name} is the same as another one"
        found.add(changed)


@pytest.mark.parametrize(("source", "times"), [("y = 1", 0), ("x = 1; x = 1", 2)])
def test_a_source_that_was_edited_away_is_told(source: str, times: int) -> None:
    wrong = Wrong("late", "Too late.", (("x = 1", "x = 2"),))
    with pytest.raises(
        NotThere, match=rf"late: this stands {times} times in bridge\.runtimes\.model, not once: 'x = 1'"
    ):
        wrong.source(source)


def test_changes_are_made_one_after_the_other() -> None:
    assert Wrong("both", "Both.", (("a", "b"), ("c", "d"))).source("a c") == "b d"
