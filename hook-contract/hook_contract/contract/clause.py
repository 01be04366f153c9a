"""Clauses, chapters and the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final

from hook_contract.contract.versions import holds, release

MUST, SHOULD, MAY = "MUST", "SHOULD", "MAY"
#: The levels of clauses, in the words of RFC 2119:
#:
#: - ``MUST``: a runtime that supports the constructs of the clause's programs has the behavior.
#: - ``SHOULD``: as MUST, but another language or library may have a reason to depart from it, such as how attributes are looked up.
#: - ``MAY``: the behavior is a mechanism of PyTorch or a freedom of implementations. Nobody needs to have it or may rely on it.
LEVELS: Final = (MUST, SHOULD, MAY)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the contract.

    Attributes:
        id: The chapter's letter and a number, such as ``A-3``.
        text: The rule.
        level: One of :data:`LEVELS`.
        since: The first version of PyTorch for which the rule holds.
        until: The first version of PyTorch for which the rule no longer holds, None if there is none.
        note: An explanation of the rule, or "".
        example: The program that docs/contract.md prefers as an example, or "".
    """

    id: str
    text: str
    level: str
    since: str
    until: str | None = None
    note: str = ""
    example: str = ""

    @property
    def chapter(self) -> str:
        return self.id.partition("-")[0]

    def holds_for(self, version: str) -> bool:
        """Return whether the clause applies to a version of PyTorch, such as ``2.13.0+cpu``."""
        return holds(version, self.since, self.until)


@dataclass(frozen=True, slots=True)
class Chapter:
    """The clauses of one letter. ``prose`` is an introduction in Markdown."""

    letter: str
    title: str
    prose: str
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Contract:
    """The contract. ``contract["A-3"]`` is a clause. Iteration yields all clauses in reading order.

    ``tested`` is the newest version of PyTorch on which the programs were run, "" if unknown.
    """

    version: str
    prose: str = field(repr=False)
    chapters: tuple[Chapter, ...] = field(repr=False)
    tested: str = ""

    @cached_property
    def clauses(self) -> Mapping[str, Clause]:
        """Return the clauses by their ids, in reading order."""
        return MappingProxyType({clause.id: clause for chapter in self.chapters for clause in chapter.clauses})

    def newer(self, version: str) -> bool:
        """Return whether a version of PyTorch is newer than ``tested``. Patch releases are ignored: 2.15.1 is not newer than 2.15.

        Returns False if either version is "".
        """
        return bool(self.tested and version) and release(version).release[:2] > release(self.tested).release[:2]

    def untested(self, version: str) -> str:
        """Return a sentence saying that a version of PyTorch is newer than ``tested``, or "" if it is not newer."""
        if not self.newer(version):
            return ""
        return f"PyTorch {version} is newer than {self.tested}, the newest that was tested"

    def __getitem__(self, id: str) -> Clause:
        try:
            return self.clauses[id]
        except KeyError:
            raise KeyError(f"the contract {self.version} has no clause {id}") from None

    def __contains__(self, id: object) -> bool:
        return id in self.clauses

    def __iter__(self) -> Iterator[Clause]:
        return iter(self.clauses.values())

    def __len__(self) -> int:
        return len(self.clauses)
