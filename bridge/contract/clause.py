"""Clauses, their chapters, and the contract that these make up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final

from bridge.contract.versions import holds, release

#: The kinds of clauses: required of every runtime that it names; how PyTorch does it, or free; not to be relied on.
KINDS: Final = ("must", "may", "undefined")

#: The runtimes that clauses are tested on, the smallest first: ``hooks`` is Bridge.Hooks alone, with integers; ``model`` the pure-Python
#: model of the contract; ``pytorch`` and ``dotnet`` are torch.nn modules and mirrored C# modules; ``torchsharp`` and ``torchsharp+bridge``
#: are TorchSharp's own modules, with its hooks, of which no clause is required, and with ours.
RUNTIMES: Final = ("hooks", "model", "pytorch", "dotnet", "torchsharp", "torchsharp+bridge")


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule.

    ``text`` is the rule in one sentence, ``kind`` one of :data:`KINDS`. It holds from PyTorch ``since`` on, and no longer in ``until`` if
    that is not None. ``runtimes`` are those of its chapter that it applies to, and ``reason`` says why the others are left out. ``note``
    is not part of the rule: why it is so, match keys of messages, what other versions do. ``reason`` and ``note`` may be "", and so may
    ``example``, the program that shows the rule best: without it the smallest is shown.
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
        """The letter of its chapter."""
        return self.id.partition("-")[0]

    @property
    def demanded(self) -> tuple[str, ...]:
        """The runtimes on which the suite demands a passing program: all of ``runtimes`` for a must clause, else none."""
        return self.runtimes if self.kind == "must" else ()

    def holds_for(self, version: str) -> bool:
        """Whether the clause is about this version of PyTorch, such as ``2.13.0+cpu``."""
        return holds(version, self.since, self.until)


@dataclass(frozen=True, slots=True)
class Chapter:
    """The clauses of one letter.

    ``prose`` (Markdown) introduces them; ``runtimes`` are those that they apply to unless they say otherwise.
    """

    letter: str
    title: str
    prose: str
    runtimes: tuple[str, ...]
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Contract:
    """All chapters in reading order. ``contract["A-3"]`` is a clause; iterating gives every clause in reading order.

    ``tested`` is the newest PyTorch that the programs were run on; "" if unknown.
    """

    version: str
    prose: str = field(repr=False)
    chapters: tuple[Chapter, ...] = field(repr=False)
    tested: str = ""

    @cached_property
    def clauses(self) -> Mapping[str, Clause]:
        """Every clause by its id, in reading order."""
        return MappingProxyType({clause.id: clause for chapter in self.chapters for clause in chapter.clauses})

    def newer(self, version: str) -> bool:
        """Whether a version of PyTorch is newer than ``tested``; later bug fixes of the same release are not."""
        return bool(self.tested and version) and release(version).release[:2] > release(self.tested).release[:2]

    def untested(self, version: str) -> str:
        """Say that a version of PyTorch is newer than ``tested``; "" where it is not."""
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
