"""A contract that is wrong is refused, with the file and the clause."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import hook_contract.contract
from hook_contract.contract import Contract, ContractError
from hook_contract.contract.chapters import read

Written = Callable[..., Contract]

CLAUSE = """
[[clause]]
id = "C-3"
level = "MUST"
since = "2.0"
text = "It is so."
"""


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Return a function that writes and reads a contract of one chapter; ``clauses`` is the TOML after its head."""

    def write(clauses: str = CLAUSE, head: str = "", listed: str = '["c"]') -> Contract:
        (tmp_path / "clauses").mkdir(exist_ok=True)
        (tmp_path / "contract.toml").write_text(
            f'version = "1.0"\nprose = "Words."\nchapters = {listed}\n{head}', encoding="utf-8"
        )
        (tmp_path / "clauses" / "c.toml").write_text(
            f'chapter = "C"\ntitle = "Calls"\nprose = "Words."\n{clauses}', encoding="utf-8"
        )
        return read(tmp_path)

    return write


def test_a_small_contract(written: Written) -> None:
    (clause,) = written(CLAUSE.replace("It is so.", "It is \\n  so."))
    assert (clause.id, clause.text, clause.level) == ("C-3", "It is so.", "MUST")
    assert (clause.until, clause.note, clause.example) == (None, "", "")


def test_the_newest_pytorch_that_was_tested(written: Written) -> None:
    found = written(head='tested = "2.15"')
    assert [found.newer(version) for version in ("2.9", "2.15.3+cpu", "2.16.0.dev1", "")] == [False, False, True, False]
    assert not written().newer("3.0")
    assert found.untested("2.15.3") == ""
    assert found.untested("2.16.0") == "PyTorch 2.16.0 is newer than 2.15, the newest that was tested"
    with pytest.raises(ContractError, match="'tested' is 'new', which is not a version"):
        written(head='tested = "new"')


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('text = "It is so."', "", r"clause C-3: 'text' is missing"),
        ('text = "It is so."', 'text = " "', r"clause C-3: 'text' must be a non-empty string"),
        ('text = "It is so."', "text = 3", r"clause C-3: 'text' must be a non-empty string"),
        ('id = "C-3"', "", r"'id' must be a non-empty string"),
        ('id = "C-3"', 'id = "D-3"', r"clause D-3: the id must be 'C-' and a number"),
        ('level = "MUST"', 'level = "SHALL"', r"clause C-3: the level 'SHALL' is not one of MUST, SHOULD, MAY"),
        ('since = "2.0"', 'since = "two"', r"clause C-3: 'since' is 'two', which is not a version"),
        ('since = "2.0"', "since = 2.0", r"clause C-3: 'since' must be a non-empty string"),
        (
            'since = "2.0"',
            'since = "2.0"\nuntil = "2.0"',
            r"clause C-3: 'until' is 2\.0, which is not later than 'since', 2\.0",
        ),
        ('since = "2.0"', 'since = "2.0"\nsicne = "2.0"', r"clause C-3: 'sicne' is unknown"),
        ("[[clause]]", "[clause]", r"'clause' must be an array of tables"),
        ("[[clause]]", "[[clause", r"c\.toml: it is not valid TOML"),
    ],
)
def test_a_wrong_clause_is_refused(written: Written, old: str, new: str, message: str) -> None:
    assert old in CLAUSE
    with pytest.raises(ContractError, match=message) as caught:
        written(CLAUSE.replace(old, new))
    assert caught.value.path.name == "c.toml"


def test_two_clauses_of_one_id_are_refused(written: Written) -> None:
    with pytest.raises(ContractError, match=r"c\.toml, clause C-3: the id is used twice") as caught:
        written(CLAUSE * 2)
    assert caught.value.clause == "C-3"


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ('["c", "d"]', r"d\.toml: there is no such file"),
        ('["c", "c"]', r"'chapters' has duplicates"),
        ("[]", r"'chapters' must be a non-empty array of strings"),
    ],
)
def test_a_wrong_list_of_chapters_is_refused(written: Written, listed: str, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        written(listed=listed)


def test_an_unknown_key_of_the_contract_is_refused(written: Written) -> None:
    with pytest.raises(ContractError, match=r"contract\.toml: 'author' is unknown"):
        written(head='author = "x"')


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Copy our own contract, to be damaged."""
    source = Path(hook_contract.contract.__file__).parent
    shutil.copytree(source / "clauses", tmp_path / "clauses")
    shutil.copy(source / "contract.toml", tmp_path)
    return tmp_path


def test_a_chapter_that_is_not_listed_is_refused(copied: Path) -> None:
    shutil.copy(copied / "clauses" / "c_entry.toml", copied / "clauses" / "more.toml")
    with pytest.raises(ContractError, match=r"'chapters' does not list more\.toml"):
        read(copied)


def test_two_chapters_of_one_letter_are_refused(copied: Path) -> None:
    shutil.copy(copied / "clauses" / "c_entry.toml", copied / "clauses" / "o_order.toml")
    with pytest.raises(ContractError, match="two chapters have the letter 'C'"):
        read(copied)


def test_a_copy_of_our_contract_is_our_contract(copied: Path) -> None:
    assert read(copied) == hook_contract.contract.load()
