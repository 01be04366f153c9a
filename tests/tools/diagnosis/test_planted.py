"""diagnosis.planted: what the C# program plants."""

from __future__ import annotations

import pytest
from diagnosis.planted import kinds, mutants
from diagnosis.subjects import ASIDE_KINDS, ASIDE_MODELS, SUBJECTS, named

pytestmark = pytest.mark.sdk


def test_there_are_many_kinds_and_those_set_aside_are_of_them() -> None:
    names = kinds()
    assert len(names) == len({*names}) >= 30
    assert {*ASIDE_KINDS} < {*names}
    assert {*ASIDE_MODELS} < {one.name for one in SUBJECTS}
    assert len(SUBJECTS) >= 8


def test_a_mutant_says_where_it_is_and_what_it_was() -> None:
    subject = named("Tagger")
    lines = subject.source.read_text(encoding="utf-8").splitlines()
    found = mutants([subject])
    assert len({one.id for one in found}) == len(found) > 20
    for one in found:
        assert one.before != one.after, one
        assert one.first <= one.line <= one.last, one
        assert one.before in {line.strip() for line in lines}, one
        assert one.file == "Tagger.cs", one
        assert one.owner_class == "Tagger", one


def test_children_have_the_names_under_which_they_are_registered() -> None:
    """``[ComponentName(Name = "lm_head")] … output``: in both models, and in what compare says, it is ``lm_head``."""
    children = {child for one in mutants([named("Llama")]) if one.owner_class == "Llama" for child in one.children}
    assert "lm_head" in children
    assert "output" not in children


def test_what_was_made_is_kept() -> None:
    first, second = (mutants([named("Tagger")]) for _ in range(2))
    assert first == second
