"""Clauses, chapters and the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final

from bridge.contract.versions import holds, release

#: The kinds of clauses: ``must`` is required of every runtime that the clause names; ``may`` is PyTorch's behavior, from which a
#: runtime may depart; ``undefined`` is not to be relied on.
KINDS: Final = ("must", "may", "undefined")

#: The runtimes that clauses are tested on, the smallest first. ``hooks``: Bridge.Hooks without tensors; ``model``: the pure-Python model
#: of the contract; ``pytorch``: torch.nn modules; ``dotnet``: mirrored C# modules; ``torchsharp``: TorchSharp's modules with its hooks,
#: which no clause requires anything of; ``torchsharp+bridge``: the same modules with our hooks.
RUNTIMES: Final = ("hooks", "model", "pytorch", "dotnet", "torchsharp", "torchsharp+bridge")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the contract.

    ``text`` is the rule in one sentence, ``kind`` one of :data:`KINDS`. The rule holds since PyTorch ``since``, and no longer since
    ``until`` if that is not None. ``runtimes`` are the runtimes of its chapter that it applies to, and ``reason`` says why the others are
    left out. ``note`` explains the rule. ``example`` names the program that shows it best; if "", the smallest one is shown.
    """

    id: str
    text: str
    kind: str
    since: str
    runtimes: tuple[str, ...]
    until: str | None = None
    note: str = ""
    reason: str = ""
    example: str = ""

    @property
    def chapter(self) -> str:
        """Return the letter of its chapter."""
        return self.id.partition("-")[0]

    @property
    def demanded(self) -> tuple[str, ...]:
        """Return the runtimes that need a passing program: all ``runtimes`` of a must-clause, none of another."""
        return self.runtimes if self.kind == "must" else ()

    def holds_for(self, version: str) -> bool:
        """Return whether the clause applies to a version of PyTorch, such as ``2.13.0+cpu``."""
        return holds(version, self.since, self.until)


@dataclass(frozen=True, slots=True)
class Chapter:
    """The clauses of one letter.

    ``prose`` (Markdown) introduces them; ``runtimes`` are the runtimes that they apply to unless a clause lists its own.
    """

    letter: str
    title: str
    prose: str
    runtimes: tuple[str, ...]
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Contract:
    """All chapters in reading order. ``contract["A-3"]`` is a clause; iteration yields all clauses in reading order.

    ``tested`` is the newest PyTorch that the programs were run on; "" if unknown.
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
        """Return whether a version of PyTorch is newer than ``tested``; later patch releases are not."""
        return bool(self.tested and version) and release(version).release[:2] > release(self.tested).release[:2]

    def untested(self, version: str) -> str:
        """Return a sentence that a version of PyTorch is newer than ``tested``; "" if it is not."""
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
