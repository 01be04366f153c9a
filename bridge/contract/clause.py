"""Clauses, chapters and the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final

from bridge.contract.versions import holds, release

#: The kinds of clauses. A ``must`` clause is required of each of its runtimes. A ``may`` clause describes behavior of PyTorch that a
#: runtime need not have. An ``undefined`` clause names behavior on which programs must not rely.
KINDS: Final = ("must", "may", "undefined")

#: The runtimes on which clauses are tested. ``hooks``: Bridge.Hooks (C#) without tensors. ``model``: the pure-Python model of the contract.
#: ``pytorch``: torch.nn modules. ``dotnet``: C# modules of Bridge.Torch. ``torchsharp``: TorchSharp's modules and hooks, of which no clause
#: requires anything. ``torchsharp+bridge``: TorchSharp's modules with the hooks of Bridge.TorchSharp.
RUNTIMES: Final = ("hooks", "model", "pytorch", "dotnet", "torchsharp", "torchsharp+bridge")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the contract.

    ``text`` is the rule in one sentence, ``kind`` one of :data:`KINDS`. The rule holds from PyTorch ``since`` up to but without ``until``
    (None: no limit). ``runtimes`` are the runtimes to which it applies, and ``reason`` says why other runtimes of the chapter are left out.
    ``note`` explains the rule. ``example`` names the program that docs/contract.md shows, "" for the smallest one.
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
        return self.id.partition("-")[0]

    @property
    def demanded(self) -> tuple[str, ...]:
        """Return the runtimes that need a passing program: all ``runtimes`` of a must-clause, () for other kinds."""
        return self.runtimes if self.kind == "must" else ()

    def holds_for(self, version: str) -> bool:
        """Return whether the clause applies to a version of PyTorch, such as ``2.13.0+cpu``."""
        return holds(version, self.since, self.until)


@dataclass(frozen=True, slots=True)
class Chapter:
    """The clauses of one letter.

    ``prose`` (Markdown) introduces the clauses. ``runtimes`` are those of the clauses that do not list their own.
    """

    letter: str
    title: str
    prose: str
    runtimes: tuple[str, ...]
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Contract:
    """All chapters in reading order. ``contract["A-3"]`` is a clause. Iteration yields all clauses in reading order.

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
        """Return whether a version of PyTorch is newer than ``tested``. Patch releases are ignored: 2.15.1 is not newer than 2.15."""
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
