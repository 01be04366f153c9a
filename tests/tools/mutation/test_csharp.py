"""mutation.csharp and judging."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mutation.csharp import csharp_mutants

ROOT = Path(__file__).parents[3]


def _bodies(*lines: str) -> list[tuple[str, str]]:
    head = "class A\n{\n    void F()\n    {\n"
    source = head + "".join(f"        {line}\n" for line in lines) + "    }\n}\n"
    made = [(mutant.kind, mutant.source) for mutant in csharp_mutants(source)]
    return [(what, " ".join(line.strip() for line in text.splitlines()[4 : 4 + len(lines)])) for what, text in made]


def test_statements_are_deleted_and_neighbours_swapped() -> None:
    assert _bodies("a.X();", "b.Y();") == [
        ("deleted", "; b.Y();"),
        ("swapped", "b.Y(); a.X();"),
        ("deleted", "a.X(); ;"),
    ]


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("if (a(b)) { }", "if (!(a(b))) { }"),
        ("for (var i = 0; i < n; i++) { }", "for (var i = 0; !(i < n); i++) { }"),
        ("return a ? b : c;", "return !(a) ? b : c;"),
        ("bool P(int x) => x > 0;", "bool P(int x) => !(x > 0);"),
    ],
)
def test_conditions_are_negated(line: str, changed: str) -> None:
    assert ("negated", changed) in _bodies(line)


def test_each_part_of_a_condition_is_negated() -> None:
    negated = [text for what, text in _bodies("while (a && b(c || d)) { }") if what == "negated"]
    assert sorted(negated) == sorted(
        ["while (!(a) && b(c || d)) { }", "while (a && !(b(c || d))) { }", "while (!(a && b(c || d))) { }"]
    )


def test_comments_and_strings_are_no_code() -> None:
    assert _bodies("// if (a) b();", 'F("if (a) { b(); }");') == [("deleted", "// if (a) b(); ;")]


@pytest.mark.parametrize(
    ("first", "second", "swapped"),
    [
        ("a = 1;", "b = 2;", False),
        ("a.N++;", "var b = c;", False),
        ("a = 1;", "b = a;", True),
        ("a = F();", "b = G();", True),
        ("a = F();", "b = 1;", True),
        ("a.X();", "return;", False),
    ],
)
def test_only_what_could_be_another_program_is_swapped(first: str, second: str, swapped: bool) -> None:
    assert (("swapped", f"{second} {first}") in _bodies(first, second)) == swapped


@pytest.mark.slow
@pytest.mark.dotnet
def test_judging_finds_nothing_wrong_with_the_right_assemblies_except_the_given_programs() -> None:
    def judged(*arguments: str) -> list[str]:
        command = [sys.executable, "-m", "mutation.failing", *arguments]
        done = subprocess.run(command, cwd=ROOT / "tools", capture_output=True, text=True, check=True)
        found: list[str] = json.loads(done.stdout)
        return found

    assert judged("--but", *judged("--all")) == [None, ""]


@pytest.mark.slow
@pytest.mark.dotnet
@pytest.mark.timeout(3000)
def test_the_corpus_catches_nearly_every_mutant_of_the_dispatcher() -> None:
    done = subprocess.run(
        [sys.executable, "tools/mutants.py", "csharp"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=2900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT EXPLAINED" not in done.stdout
