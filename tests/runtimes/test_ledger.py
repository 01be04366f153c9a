"""bridge/runtimes/divergences.toml: its rows."""

from __future__ import annotations

import fnmatch
from pathlib import Path

from bridge.runtimes.ledger import ledger
from hook_contract import contract


def test_the_ledger_cites_clauses_that_exist_and_tests_that_exist() -> None:
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
