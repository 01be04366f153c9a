"""The figures of a run: tables for the terminal and for ``docs/diagnosis.md``, whose text is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from diagnosis.subjects import HELD_OUT_MODELS, ROOT, SUBJECTS
from workers import Row

Line = tuple[str, ...]
PAGE: Final = ROOT / "docs" / "diagnosis.md"
HEAD: Final = ("planted", "live", "noticed", "located", "explained", "wrong causes")
#: The share of modules that compare need not judge in isolation.
_REFUSED: Final = 0.05


def figures(results: Iterable[Row]) -> Line:
    """Return how many mutants were planted and live, and of these how many were noticed and so on, as text."""
    planted = list(results)
    live = [result for result in planted if result["lives"]]
    counts = [sum(result[key] for result in live) for key in ("noticed", "located", "explained")]
    shares = [f"{count} ({count / len(live):.0%})" if live else "0" for count in counts]
    return f"{len(planted)}", f"{len(live)}", *shares, f"{sum(len(result['wrong']) for result in live)}"


def lines(results: Sequence[Row], group: Callable[[Row], str]) -> list[Line]:
    """Return the figures of each group, sorted by name, and of all."""
    names = sorted({group(result) for result in results})
    found = [(name, *figures(result for result in results if group(result) == name)) for name in names]
    return [*found, ("all", *figures(results))]


def plain(title: str, table: Sequence[Line]) -> str:
    """Return figures as a table for the terminal."""
    table = [(title, *HEAD), *table]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join((name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))))
        for name, *cells in table
    )


def markdown(title: str, table: Iterable[Line], head: Sequence[str] = HEAD, align: str = "--:|" * len(HEAD)) -> str:
    """Return a table for the page."""
    return "\n".join(
        (f"| {title} | {' | '.join(head)} |", f"|---|{align}", *(f"| {' | '.join(line)} |" for line in table))
    )


def total_isolation(isolation: Sequence[Row]) -> str:
    """Return the share of modules judged in isolation, as a sentence."""
    modules, refused = _count(isolation)
    return f"Judged alone: {modules - refused} of {modules} modules ({1 - refused / modules:.0%})."


def too_few_isolated(isolation: Sequence[Row]) -> bool:
    """Return whether compare judges fewer modules in isolation than it should."""
    modules, refused = _count(isolation)
    return refused > _REFUSED * modules


def isolation_line(result: Row) -> Line:
    """Return a model, how many of its modules are judged in isolation, and the reasons for the others."""
    refused = result["refused"]
    reasons = "; ".join(f"`{path or 'the root'}`: {reason}" for path, reason in refused.items())
    return result["subject"], f"{result['modules'] - len(refused)} of {result['modules']}", reasons


def _count(isolation: Sequence[Row]) -> tuple[int, int]:
    return sum(result["modules"] for result in isolation), sum(len(result["refused"]) for result in isolation)


def page(results: Sequence[Row], isolation: Sequence[Row], seed: int, sample: int) -> str:
    """Return the page with the figures of a run."""
    shown = [result for result in results if not result["held_out"]]
    held_out = [result for result in results if result["held_out"]]
    sorts = lines(held_out, lambda result: "models" if result["subject"] in HELD_OUT_MODELS else "kinds")
    subjects = [
        (f"`{name}`", subject.sort, "set aside" if name in HELD_OUT_MODELS else "")
        for name, subject in SUBJECTS.items()
    ]
    text = PAGE.read_text(encoding="utf-8")
    text = re.sub(r"At most \d+ (.*) by seed \d+", rf"At most {sample} \1 by seed {seed}", text)
    text = re.sub(r"Judged alone: \d.*", total_isolation(isolation), text)
    for heading, table in (
        ("By kind", markdown("kind", lines(shown, lambda result: result["kind"]))),
        ("By model", markdown("model", lines(shown, lambda result: result["subject"]))),
        ("Set aside", markdown("set aside", sorts)),
        ("Judged alone", markdown("model", map(isolation_line, isolation), ("judged alone", "why not"), "--:|---|")),
        ("The models", markdown("model", subjects, ("what it is", "note"), "---|---|")),
    ):
        start = text.index("\n| ", text.index(f"## {heading}\n")) + 1
        rest = text[start:].partition("\n\n")[2]
        text = text[:start] + table + (f"\n\n{rest}" if rest else "\n")
    return text
