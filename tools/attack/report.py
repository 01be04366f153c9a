"""The report of an attack: a table by kind, and the failures with the commands that run them again; also as JSON."""

from __future__ import annotations

import json
import shlex
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from attack.kind import chosen, kind_of
from attack.running import Outcome

PROBLEMS = ("wrong", "crash", "hang", "growth")


def replay(seed: int, outcome: Outcome) -> str:
    """Return the command that runs a case again: with the kind, if the case has another one when all kinds are drawn."""
    if outcome.problem == "growth":
        return f"make attack SEED={seed} CASES={outcome.index + 1}"
    is_drawn = kind_of(seed, outcome.index, chosen()).name == outcome.kind
    kind = "" if is_drawn else f" KIND={shlex.quote(outcome.kind)}"
    return f"make attack CASE={seed}:{outcome.index}{kind}"


def failed(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the failed outcomes."""
    return [outcome for outcome in outcomes if outcome.problem is not None]


def by_kind(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Return the figures of each kind: cases, problems, and mean and longest time in milliseconds."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.kind].append(outcome)
    return {kind: _figures(group) for kind, group in sorted(groups.items())}


def _figures(group: Sequence[Outcome]) -> dict[str, float]:
    times = [1000 * outcome.seconds for outcome in group]
    problems = {problem: sum(outcome.problem == problem for outcome in group) for problem in PROBLEMS}
    return {
        "cases": len(group),
        **problems,
        "mean ms": round(sum(times) / len(times), 1),
        "longest ms": round(max(times), 1),
    }


def write(path: Path, seed: int, outcomes: Sequence[Outcome]) -> None:
    """Write the report as JSON."""
    failures = [vars(outcome) for outcome in failed(outcomes)]
    report = {"seed": seed, "kinds": by_kind(outcomes), "failures": failures}
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def show(console: Console, seed: int, outcomes: Sequence[Outcome]) -> None:
    """Print the first ten failures and the table."""
    failures = failed(outcomes)
    for outcome in failures[:10]:
        console.rule(f"{outcome.problem}: {outcome.kind}, case {seed}:{outcome.index}")
        console.print(outcome.text, replay(seed, outcome), sep="\n", markup=False, highlight=False)
    figures = {**by_kind(outcomes), "all": _figures(outcomes)}
    table = Table("kind", *figures["all"], title=f"Attack, seed {seed}")
    for kind, row in figures.items():
        table.add_row(kind, *(f"{figure:g}" for figure in row.values()))
    console.print(table)
    console.print(f"{len(failures) or 'none'} of {len(outcomes)} failed")
