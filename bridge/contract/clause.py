"""Clauses, chapters and the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final

from bridge.contract.versions import holds, release

#: The kinds of clauses:
#:
#: - ``must``: each of the clause's runtimes must have the behavior.
#: - ``may``: the behavior is a mechanism of PyTorch or a freedom of implementations. No runtime needs to have it.
#: - ``undefined``: programs must not rely on the behavior.
KINDS: Final = ("must", "may", "undefined")

#: The runtimes on which clauses are tested:
#:
#: - ``hooks``: Bridge.Hooks (C#) without tensors.
#: - ``model``: the pure-Python model of the contract.
#: - ``pytorch``: torch.nn modules.
#: - ``dotnet``: C# modules of Bridge.Torch.
#: - ``torchsharp``: TorchSharp's modules and hooks.
#: - ``torchsharp+bridge``: TorchSharp's modules with the hooks of Bridge.TorchSharp.
#: - ``torchsharp-in-process``: TorchSharp's modules in this process, with Python's hooks.
RUNTIMES: Final = ("hooks", "model", "pytorch", "dotnet", "torchsharp", "torchsharp+bridge", "torchsharp-in-process")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the contract.

    Attributes:
        id: The chapter's letter and a number, such as ``A-3``.
        text: The rule.
        kind: One of :data:`KINDS`.
        since: The first version of PyTorch for which the rule holds.
        until: The first version of PyTorch for which the rule no longer holds, None if there is none.
        runtimes: The runtimes to which the rule applies.
        reason: Why other runtimes of the chapter are left out, "" if none is.
        note: An explanation of the rule, or "".
        example: The program that docs/contract.md prefers as an example, or "".
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

    Attributes:
        prose: An introduction in Markdown.
        runtimes: The runtimes of the clauses that list no runtimes themselves.
    """

    letter: str
    title: str
    prose: str
    runtimes: tuple[str, ...]
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
