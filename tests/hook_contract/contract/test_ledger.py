"""hook_contract.contract.ledger, and the ledger itself."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Any

import pytest

from bridge.runtimes.ledger import ledger
from hook_contract import contract
from hook_contract.contract.errors import LedgerError
from hook_contract.contract.ledger import parse

_ROW = (
    'id = "BR-1"\nkind = "contract"\nclauses = ["F-2"]\nruntime = "dotnet"\ntitle = "t"\nreason = "r"\nsince = "1.0"\n'
)


def test_the_contracts_ledger_cites_clauses_that_exist_and_tests_that_exist() -> None:
    rows = ledger()
    assert rows
    written = contract.load()
    for item in rows:
        assert all(clause in written for clause in item.clauses), item
        assert item.reason.endswith("."), item.id
        if item.test:
            file, _, name = item.test.partition("::")
            text = (Path(__file__).parents[2] / file).read_text(encoding="utf-8")
            assert not name or f"def {name}(" in text, item.test


def test_programs_that_show_a_row_exist_and_are_about_its_clauses() -> None:
    corpus = {path.stem for path in (Path(contract.__file__).parent / "programs").rglob("*.json")}
    for item in ledger():
        for pattern in item.shown_by:
            found = fnmatch.filter(corpus, pattern)
            assert found, (item.id, pattern)
            assert all(any(name.startswith(f"{clause}-") for clause in item.clauses) for name in found), (
                item.id,
                found,
            )


def test_the_ledger_has_what_is_known_of_torchsharp() -> None:
    """D1 to D11 of the survey of TorchSharp are its first rows."""
    assert [item.id for item in ledger()][:11] == [f"TS-{number}" for number in range(1, 12)]
    assert any(item.kind == "port" for item in ledger())


def test_a_row_is_about_its_versions_and_devices() -> None:
    (item,) = parse("[[divergence]]\n" + _ROW + 'versions = ">=2"\ndevices = ["cuda*"]\n')
    assert item.applies("dotnet", ".NET 2.0", "cuda:0")
    for other in (("dotnet", "1.9", "cuda"), ("dotnet", "2", "cpu"), ("x", "2", "cuda")):
        assert not item.applies(*other)


def test_a_row_lists_programs_in_variants() -> None:
    text = 'programs = ["F-2-*@typed/*", "P-2-a"]\ngot = [{event = "raise"}]\n'
    (item,) = parse("[[divergence]]\n" + _ROW + text)
    assert item.lists("F-2-int", "typed/python")
    assert not item.lists("F-2-int", "object/python")
    assert item.lists("P-2-a", "object/python")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[divergence]]\n" + _ROW * 1 + 'colour = "red"\n', "BR-1: unknown field colour"),
        ("[[divergence]]\n" + _ROW + "[[divergence]]\n" + _ROW, "two rows have the id BR-1"),
        ("[[divergence]]\n" + _ROW.replace('reason = "r"\n', ""), "BR-1 lacks reason"),
        ("[[divergence]]\n" + _ROW.replace('"contract"', '"other"'), "the kind must be one of"),
        ("[[divergence]]\n" + _ROW.replace('clauses = ["F-2"]\n', ""), "BR-1 names no clause"),
        ("[[divergence]]\n" + _ROW + 'versions = "2"\n', "'2' is not a version bound"),
        ("[[divergence]]\n" + _ROW + 'programs = ["F-2-*"]\n', "but not what differs"),
        ("[[divergence", "not valid TOML"),
        ('divergence = "BR-1"\n', "the rows of the ledger must be tables"),
        ("divergence = [1]\n", "the rows of the ledger must be tables"),
        ("[[divergence]]\n" + _ROW.replace('["F-2"]', '"F-2"'), "BR-1: clauses must be a list of strings, not 'F-2'"),
        ("[[divergence]]\n" + _ROW + "programs = [1]\n", "BR-1: programs must be a list of strings, not "),
        ("[[divergence]]\n" + _ROW + "versions = 2\n", "BR-1: versions must be a string, not 2"),
        ("[[divergence]]\n" + _ROW.replace('"BR-1"', "[1]"), "id must be a string, not "),
        ("[[divergence]]\n" + _ROW + "goes_on = 1\n", "BR-1: goes_on must be true or false, not 1"),
        ("[[divergence]]\n" + _ROW + "got = [1]\n", "BR-1: got must be a list of tables, not "),
    ],
)
def test_a_row_that_says_too_little_or_too_much_is_refused(text: str, message: str) -> None:
    with pytest.raises(LedgerError, match=message.replace("(", r"\(")):
        parse(text)


def test_a_row_is_read_completely() -> None:
    (found,) = parse(
        "[[divergence]]\n" + _ROW + 'programs = ["F-2-*"]\ngot = [{event = "raise", error = "TypeError"}]\n'
    )
    expected: dict[str, Any] = {"event": "raise", "error": "TypeError"}
    assert found.got == (expected,)
    assert found.lists("F-2-int")
    assert not found.lists("F-3-int")


def test_a_row_may_be_about_some_versions_of_pytorch() -> None:
    (item,) = parse("[[divergence]]\n" + _ROW + 'torch = "<2.13"\n')
    assert item.about == "PyTorch <2.13"
    assert item.applies("dotnet", ".NET 10.0.12, PyTorch 2.12.1+cpu, Python 3.11.7", "cpu")
    assert not item.applies("dotnet", ".NET 10.0.12, PyTorch 2.13.0+cpu, Python 3.11.7", "cpu")
    assert not item.applies("dotnet", ".NET 10.0.12", "cpu")
    with pytest.raises(LedgerError, match="row BR-1: 'new' is not a version bound"):
        parse("[[divergence]]\n" + _ROW + 'torch = "new"\n')
