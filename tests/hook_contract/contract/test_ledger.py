"""hook_contract.contract.ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hook_contract.contract.errors import LedgerError
from hook_contract.contract.ledger import parse, read

_ROW = (
    'id = "BR-1"\nkind = "contract"\nclauses = ["F-2"]\nruntime = "dotnet"\ntitle = "t"\nreason = "r"\nsince = "1.0"\n'
)


def test_a_ledger_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.toml"
    path.write_text("[[divergence]]\n" + _ROW, encoding="utf-8")
    assert [item.id for item in read(path)] == ["BR-1"]
    bad = tmp_path / "bad.toml"
    bad.write_text("[[divergence]]\n" + _ROW + "colour = 1\n", encoding="utf-8")
    with pytest.raises(LedgerError, match=r"bad\.toml: row BR-1: unknown field colour"):
        read(bad)
    bad.write_bytes(b"\xff")
    with pytest.raises(LedgerError, match=r"bad\.toml: not UTF-8"):
        read(bad)


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
