"""hook_contract/contract/contract.toml and clauses/: complete, sober, and about the installed PyTorch."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import torch

from hook_contract.contract import LEVELS, Chapter, Clause, load

CONTRACT = load()


def _ids(letter: str, *numbers: int | str) -> list[str]:
    return [f"{letter}-{number}" for number in numbers]


#: The ids of the reference rules that the contract covers, chapter by chapter in reading order.
IDS = {
    "C": _ids("C", *range(1, 10)),
    "O": _ids("O", *range(1, 6)),
    "P": _ids("P", *range(1, 8)),
    "F": _ids("F", *range(1, 5)),
    "A": _ids("A", *range(1, 12)),
    "G": _ids("G", *range(1, 10)),
    "H": _ids("H", *range(1, 10)),
    "D": [f"D-1{cell}" for cell in "abcdefghi"] + _ids("D", 2, 3, 4, 5),
    "B": _ids("B", *range(1, 24)),
    "L": _ids("L", *range(1, 10)),
    "T": _ids("T", *range(1, 17)),
    "Q": _ids("Q", *range(1, 6)),
    "X": _ids("X", *range(1, 5)),
    "I": _ids("I", 1, 2, 6, 15, 16, 17, "17a", 18),
    "Z": _ids("Z", *range(1, 9)),
}

every_clause = pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: clause.id)
every_chapter = pytest.mark.parametrize("chapter", CONTRACT.chapters, ids=lambda chapter: chapter.letter)


def test_every_clause_is_there_in_reading_order() -> None:
    assert {chapter.letter: [clause.id for clause in chapter.clauses] for chapter in CONTRACT.chapters} == IDS
    assert [chapter.letter for chapter in CONTRACT.chapters] == list(IDS)
    assert len(CONTRACT) == sum(len(ids) for ids in IDS.values())


def test_the_contract_has_a_version() -> None:
    assert CONTRACT.version == "2.0"
    assert load() is CONTRACT


@every_chapter
def test_a_chapter_begins_with_prose(chapter: Chapter) -> None:
    assert chapter.title[0].isupper()
    assert not chapter.title.endswith(".")
    assert 150 < len(chapter.prose) < 2000
    assert chapter.prose.rstrip()[-1] in ".|"


@every_clause
def test_a_clause_is_one_sentence(clause: Clause) -> None:
    assert clause.text[0].isupper() or clause.text.startswith(("`", "grad_"))
    assert clause.text.endswith(".")
    assert not re.search(r"[.!?;]\s", clause.text), "a second sentence"
    assert 40 <= len(clause.text) <= 360


@every_clause
def test_a_clause_has_a_level(clause: Clause) -> None:
    assert clause.level in LEVELS
    assert (clause.level == "MAY") <= (" may " in clause.text or clause.id == "Z-7")


@every_clause
def test_a_clause_that_is_not_demanded_says_why_in_its_note(clause: Clause) -> None:
    assert clause.level == "MUST" or clause.note


@every_clause
def test_a_clause_that_is_demanded_holds_for_the_installed_pytorch(clause: Clause) -> None:
    assert clause.level == "MAY" or clause.holds_for(torch.__version__)


def test_a_clause_that_is_cited_elsewhere_exists() -> None:
    """Texts, notes and prose cite clauses by id; the table D-1 is also cited by its number alone."""
    texts = [text for clause in CONTRACT for text in (clause.text, clause.note)]
    texts += [chapter.prose for chapter in CONTRACT.chapters] + [CONTRACT.prose]
    cited = {id for text in texts for id in re.findall(r"\b[A-Z]-\d+[a-z]?\b", text)}
    assert len(cited) > 10
    assert cited <= set(CONTRACT.clauses)


def test_a_clause_is_found_by_its_id() -> None:
    clause = CONTRACT["A-3"]
    assert (clause.id, clause.chapter, clause.level) == ("A-3", "A", "MUST")
    assert "A-3" in CONTRACT
    assert "A-99" not in CONTRACT
    with pytest.raises(KeyError, match=r"the contract 2\.0 has no clause A-99"):
        CONTRACT["A-99"]


@pytest.mark.parametrize(
    ("since", "until", "version", "expected"),
    [
        ("2.1", None, "2.13.0+cpu", True),
        ("2.1", None, "2.1", True),
        ("2.1", None, "2.1.0a0+git1234", True),
        ("2.10", None, "2.9.1", False),
        ("1.13.1", None, "1.13.0", False),
        ("1.7.1", "1.12", "1.11.0", True),
        ("1.7.1", "1.12", "1.12.0", False),
    ],
)
def test_versions_are_compared_as_numbers(since: str, until: str | None, version: str, expected: bool) -> None:
    clause = Clause("C-1", "A rule.", "MUST", since, until)
    assert clause.holds_for(version) is expected


def test_a_version_must_be_one() -> None:
    with pytest.raises(ValueError, match="'new' is not a version"):
        CONTRACT["C-3"].holds_for("new")


def test_reading_the_contract_imports_no_torch_and_no_dotnet() -> None:
    code = "import sys, hook_contract.contract as c; c.load(); print(sorted({'torch', 'clr', 'pythonnet'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
