"""hook_contract.conformance.documents, and that the pages are what the data give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hook_contract import contract as contracts
from hook_contract.conformance.documents import contract_page
from hook_contract.contract import Contract


def test_the_pages_are_not_stale(tools: Callable[[str], Any]) -> None:
    for path, text in tools("contract").pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale: make contract"


def test_every_clause_is_in_the_page_with_its_text(tools: Callable[[str], Any]) -> None:
    page = next(text for path, text in tools("contract").pages().items() if path.name == "contract.md")
    for clause in contracts.load():
        assert f"**{clause.id}** · {clause.level}" in page
        assert clause.text in page


def test_the_example_that_a_clause_names_is_the_one_shown(tools: Callable[[str], Any]) -> None:
    page = next(text for path, text in tools("contract").pages().items() if path.name == "contract.md")
    named = [clause for clause in contracts.load() if clause.example]
    assert named
    for clause in named:
        behind = page.split(f"**{clause.id}**", 1)[1].split("<a id=", 1)[0]
        assert f"Example `{clause.example}`" in behind, (
            f"{clause.id}: no program of that name and clause that is short enough"
        )


def test_the_example_is_the_smallest_program_that_is_about_the_clause_first(contract: Contract, program: Any) -> None:
    large = program("O-1-large", "O-1")
    large = replace(large, steps=(*large.steps, {"do": "call", "args": [3]}))
    programs = [
        large,
        program("O-1-small", "O-1"),
        program("O-2-a", "O-2", "O-1"),
        program("P-1-a", "P-1", expect=None),
    ]
    page = contract_page(contract, programs)
    assert "Example `O-1-small`: About O-1-small." in page
    assert "O-1-large" not in page
    assert "P-1-a" not in page, "nobody has accepted it"
    assert "```text\ntree: leaf\nregister pre hook p on (root)\ncall (root) (3)\n\npre p (root): args (3)\n" in page
