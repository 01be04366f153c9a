"""The figures of a run: by kind and by model, and of what was set aside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnosis.planted import Mutant
from diagnosis.subjects import ASIDE_KINDS, ASIDE_MODELS

Result = Mapping[str, Any]


@dataclass
class Counted:
    """How many mutants live, and of those how many are noticed, located, explained, and with how many wrong causes."""

    planted: int = 0
    live: int = 0
    noticed: int = 0
    located: int = 0
    explained: int = 0
    wrong: int = 0

    def add(self, result: Result) -> None:
        self.planted += 1
        if result["lives"]:
            self.live += 1
            self.noticed += result["noticed"]
            self.located += result["located"]
            self.explained += result["explained"]
            self.wrong += len(result["wrong"])

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the row as text: planted, live, and the shares of the live ones."""
        shares = [
            f"{count} ({count / self.live:.0%})" if self.live else "0"
            for count in (self.noticed, self.located, self.explained)
        ]
        return (f"{self.planted}", f"{self.live}", *shares, f"{self.wrong}")


HEAD = ("planted", "live", "noticed", "located", "explained", "wrong causes")


def counted(results: Iterable[Result]) -> Counted:
    """Return the total."""
    total = Counted()
    for one in results:
        total.add(one)
    return total


def aside(mutant: Mutant) -> bool:
    """Return whether a mutant belongs to a model or kind that is reserved."""
    return mutant.subject in ASIDE_MODELS or mutant.kind in ASIDE_KINDS


def rows(pairs: Sequence[tuple[Mutant, Result]], of: Callable[[Mutant], str]) -> list[tuple[str, ...]]:
    """Return a row of figures for each group, sorted by name, and the total."""
    groups: dict[str, list[Result]] = {}
    for mutant, result in pairs:
        groups.setdefault(of(mutant), []).append(result)
    found = [(name, *counted(groups[name]).cells) for name in sorted(groups)]
    return [*found, ("all", *counted(result for _, result in pairs).cells)]


def plain(title: str, lines: Sequence[tuple[str, ...]]) -> str:
    """Return a table for the terminal."""
    whole = [(title, *HEAD), *lines]
    widths = [max(len(line[column]) for line in whole) for column in range(len(whole[0]))]
    said = []
    for line in whole:
        name, *figures = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        said.append("  ".join((name.strip().ljust(widths[0]), *figures)))
    return "\n".join(said)


def markdown(title: str, lines: Sequence[tuple[str, ...]]) -> str:
    """Return a table for the page."""
    head = f"| {title} | {' | '.join(HEAD)} |\n|---|{'--:|' * len(HEAD)}\n"
    return head + "\n".join(f"| {' | '.join(line)} |" for line in lines)
