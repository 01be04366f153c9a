"""mutation.handmade and mistake; that the corpus catches them all is tested with the mutants."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of memory and time are set by the module resource, POSIX's")

from mutation.handmade import WRONGS, read_mistakes, wrong_models
from mutation.mistake import Insert, NotThere, Replace, Wrong
from mutation.scoring import SOURCES

ROOT = Path(__file__).parents[3]


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    assert len(WRONGS) >= 40
    assert len({wrong.name for wrong in WRONGS}) == len(WRONGS)
    assert len({wrong.about for wrong in WRONGS}) == len(WRONGS)


def test_each_is_another_program_that_compiles() -> None:
    right = {
        name: (ROOT / "hook-contract").joinpath(*name.split(".")).with_suffix(".py").read_text("utf-8")
        for name in SOURCES
    }
    found: set[str] = set()
    for wrong, sources in wrong_models(right):
        assert list(sources) == [wrong.module]
        changed = ast.dump(ast.parse(sources[wrong.module]))
        assert changed != ast.dump(ast.parse(right[wrong.module])), wrong.name
        assert changed not in found, f"{wrong.name} is the same as another one"
        found.add(changed)


@pytest.mark.parametrize(("source", "times"), [("y = 1", 0), ("x = 1; x = 1", 2)])
def test_code_that_was_edited_is_reported_by_its_name(source: str, times: int) -> None:
    wrong = Wrong("late", "Too late.", (Replace("x = 1", "x = 2"),))
    with pytest.raises(
        NotThere, match=rf"late: this is {times} times in hook_contract\.runtimes\.\S+, not once: 'x = 1'"
    ):
        wrong.source(source)


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ("b(1)", "c", "a = [b(1)]  # why", "a = [c]"),
        ("b(1)", "pass", "if a:\n    b(\n        1\n    )", "if a:\n    pass"),
        ("a()\nb()", "b()\na()", "with c:\n    a()\n    # why\n    b()", "with c:\n    b()\n    a()"),
        (
            "if b:",
            "c()\nif not b:",
            "if a:\n    d\nelif b:\n    e",
            "if a:\n    d\nelse:\n    c()\n    if not b:\n        e",
        ),
        ("except E:", "except F:", "try:\n    a\nexcept E:\n    b", "try:\n    a\nexcept F:\n    b"),
        ("class A(B):", "class A:", "class A(B):\n    c = 1", "class A:\n    c = 1"),
    ],
)
def test_code_is_found_whatever_its_text(old: str, new: str, before: str, after: str) -> None:
    assert Wrong("it", "It.", (Replace(old, new),)).source(before) == after


def test_code_is_added_at_the_end_of_a_class_or_of_the_module() -> None:
    source = "class A:\n    a = 1\nb = 2"
    assert Wrong("it", "It.", (Insert("c = 3"), Insert("d = 4", "A"))).source(source) == (
        "class A:\n    a = 1\n    d = 4\nb = 2\nc = 3"
    )
    with pytest.raises(NotThere, match="no class B"):
        Wrong("it", "It.", (Insert("c = 3", "B"),)).source(source)


def test_changes_are_made_one_after_the_other() -> None:
    assert Wrong("both", "Both.", (Replace("a", "b"), Replace("c", "d"))).source("a + c") == "b + d"


def test_mistakes_are_read_from_text() -> None:
    text = "# A chapter\n\na-b: Reads.\n- x\n+ y\n\nc [autograd]: Adds.\n@ A\n+ def f():\n+     pass\n@\n+ z\n- q\n- r\n+ s\n"
    assert list(read_mistakes(text)) == [
        Wrong("a-b", "Reads.", (Replace("x", "y"),)),
        Wrong("c", "Adds.", (Insert("def f():\n    pass", "A"), Insert("z"), Replace("q\nr", "s")), SOURCES[1]),
    ]
    with pytest.raises(ValueError, match="not a mistake's heading: '- x'"):
        list(read_mistakes("- x\n+ y"))
