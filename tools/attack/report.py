"""What came of an attack: a table by kind, the failures with the commands that run them again, and the same as JSON."""

from __future__ import annotations

import json
import shlex
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from attack.kind import kind_of
from attack.running import Outcome

PROBLEMS = ("wrong", "crash", "hang", "growth")


def replay(seed: int, outcome: Outcome) -> str:
    """Return the command that repeats a case, with the kinds if only some were chosen, since they number the cases."""
    kind = "" if kind_of(seed, outcome.index).name == outcome.kind else f" KIND={shlex.quote(outcome.kind)}"
    return f"make attack CASE={seed}:{outcome.index}{kind}"


def failed(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the failed outcomes."""
    return [outcome for outcome in outcomes if outcome.problem is not None]


def by_kind(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Return the figures of each kind: cases, problems, and mean and longest time in milliseconds."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.kind].append(outcome)
    return {
        kind: {
            "cases": len(group),
            **{problem: sum(outcome.problem == problem for outcome in group) for problem in PROBLEMS},
            "mean": round(1000 * sum(outcome.seconds for outcome in group) / len(group), 1),
            "longest": round(1000 * max(outcome.seconds for outcome in group), 1),
        }
        for kind, group in sorted(groups.items())
    }


def write(path: Path, seed: int, outcomes: Sequence[Outcome]) -> None:
    """Write the report as JSON."""
    report = {
        "seed": seed,
        "kinds": by_kind(outcomes),
        "failures": [outcome.written() for outcome in failed(outcomes)],
    }
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def show(console: Console, seed: int, outcomes: Sequence[Outcome], shown: int = 10) -> None:
    """Print the first failures and the table."""
    for outcome in failed(outcomes)[:shown]:
        console.rule(f"{outcome.problem}: {outcome.kind}, case {seed}:{outcome.index}")
        console.print(outcome.text, markup=False, highlight=False)
        console.print(replay(seed, outcome), markup=False, highlight=False)
    table = Table(title=f"Attack, seed {seed}")
    for name in ("kind", "cases", *PROBLEMS, "mean ms", "longest ms"):
        table.add_column(name, justify="left" if name == "kind" else "right")
    for kind, figures in by_kind(outcomes).items():
        table.add_row(kind, *(f"{figure:g}" for figure in figures.values()))
    bad = len(failed(outcomes))
    table.add_section()
    table.add_row(
        "all", str(len(outcomes)), *(str(sum(item.problem == name for item in outcomes)) for name in PROBLEMS)
    )
    console.print(table)
    console.print(f"{bad} of {len(outcomes)} failed" if bad else f"none of {len(outcomes)} failed")
