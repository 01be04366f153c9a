"""hook_contract.conformance.selection."""

from __future__ import annotations

import pytest

from hook_contract.conformance.errors import SelectionError
from hook_contract.conformance.selection import select
from hook_contract.contract import Contract
from hook_contract.program import Program

Programs = tuple[Program, ...]


def test_without_a_filter_everything_is_selected(contract: Contract, programs: Programs) -> None:
    found = select(contract, programs)
    assert (found.programs, found.clauses, found.everything) == (programs, ("O-1", "O-2", "P-1", "P-2"), True)
    assert found.complete == set(found.clauses)


def test_a_clause_selects_its_programs_and_itself(contract: Contract, programs: Programs) -> None:
    found = select(contract, programs, ["O-1"])
    assert [item.name for item in found.programs] == ["O-1-a", "O-1-b"]
    assert found.clauses == ("O-1",)
    assert "O-1" in found.complete
    assert "O-2" not in found.complete, "O-2-a was left out"
    assert not found.everything


def test_a_pattern_may_mean_clauses_and_programs(contract: Contract, programs: Programs) -> None:
    assert [item.name for item in select(contract, programs, ["O-*"]).programs] == ["O-1-a", "O-1-b", "O-2-a"]
    found = select(contract, programs, ["*-a", "P-2"])
    assert [item.name for item in found.programs] == ["O-1-a", "O-2-a", "P-1-a"]
    assert found.clauses == ("O-1", "O-2", "P-1", "P-2")
    assert found.complete == {"P-1", "P-2"}


def test_a_filter_that_selects_nothing_is_refused(contract: Contract, programs: Programs) -> None:
    with pytest.raises(SelectionError, match="'X-9' matches no clause and no program"):
        select(contract, programs, ["O-1", "X-9"])
