"""The selection of programs and clauses by filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from hook_contract.conformance.errors import SelectionError
from hook_contract.program import Program

if TYPE_CHECKING:
    from hook_contract.contract import Contract


@dataclass(frozen=True, slots=True)
class Selection:
    """The programs to run and the clauses to judge.

    Attributes:
        complete: The clauses whose programs are all selected. Only for these is the lack of a passing program a failure.
        everything: Whether there was no filter.
    """

    programs: tuple[Program, ...]
    clauses: tuple[str, ...]
    complete: frozenset[str]
    everything: bool


def select(contract: Contract, programs: Sequence[Program], filters: Sequence[str] = ()) -> Selection:
    """Select programs and clauses. Without ``filters``, select all.

    A filter is a clause's id, a program's name, or a pattern (``A-*``) for either. A clause selects the programs that cite it. A
    filter that matches only programs selects the clauses that these programs cite. Raises SelectionError for a filter that matches nothing.
    """
    ids = list(contract.clauses)
    if not filters:
        return Selection(tuple(programs), tuple(ids), frozenset(ids), True)
    names: set[str] = set()
    clauses: set[str] = set()
    for pattern in filters:
        matching = {id for id in ids if fnmatchcase(id, pattern)}
        found = [item for item in programs if matching & set(item.clauses) or fnmatchcase(item.name, pattern)]
        if not matching and not found:
            raise SelectionError(
                f"'{pattern}' matches no clause and no program: write a clause such as O-1, or a pattern such as 'O-*'"
            )
        clauses |= matching or {clause for item in found for clause in item.clauses}
        names |= {item.name for item in found}
    chosen = tuple(item for item in programs if item.name in names)
    left_out = {clause for item in programs if item.name not in names for clause in item.clauses}
    return Selection(chosen, tuple(id for id in ids if id in clauses), frozenset(ids) - left_out, False)
