"""Parses the command and runs it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from attack import report, worker
from attack.kind import KINDS, chosen, kind_of
from attack.running import ROOT, Attack, Outcome, Process

#: The models in C#.
PROJECT = Path(__file__).with_name("models") / "Attack.csproj"


def main(arguments: list[str] | None = None) -> int:
    """Run the attack and return the exit code: 1 if any case failed."""
    parser = argparse.ArgumentParser(prog="attack", description="Attacks .NET models in Python's process.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--case", metavar="SEED:INDEX", help="run one case again, in this process, of that kind")
    parser.add_argument("--kind", action="append", default=[], choices=[kind.name for kind in KINDS])
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 2, 4))
    parser.add_argument("--json", type=Path, default=ROOT / "attack.json", help="where the report goes")
    parser.add_argument("--assembly", type=Path, help="the compiled models (default: built from tools/attack/models)")
    options = parser.parse_args(arguments)
    assembly = options.assembly or built()
    if options.case:
        seed, _, index = options.case.partition(":")
        return again(int(seed), int(index), assembly, options.kind)
    console = Console()
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console
    ) as progress:
        task = progress.add_task("attack", total=options.cases)

        def told(outcome: Outcome) -> None:
            progress.advance(task)
            if outcome.problem is not None:
                command = report.replay(options.seed, outcome)
                console.print(f"{outcome.problem}: {outcome.kind}: {command}", markup=False, highlight=False)

        attack = Attack(options.seed, assembly, options.kind, options.jobs, report=told)
        outcomes = attack.run(range(options.cases))
    report.write(options.json, options.seed, outcomes)
    report.show(console, options.seed, outcomes)
    return int(bool(report.failed(outcomes)))


def built() -> Path:
    """Return the assembly of the models, built if they have changed."""
    os.environ.setdefault("BRIDGE_CACHE", str(ROOT / "dotnet" / "artifacts" / "tests" / "projects"))
    from bridge.clr.compile.projects import build_project
    from bridge.clr.find.assemblies import folder

    return build_project(PROJECT, folder()[0])


def again(seed: int, index: int, assembly: Path, names: Sequence[str] = ()) -> int:
    """Run one case again, in this process, or in its own if it may end it."""
    kind = kind_of(seed, index, chosen(names))
    if kind.alone:
        process = Process("nursery", seed, assembly, names)
        answer, problem, text = process.ask(index, 300.0)
        failure = f"{problem}: {text}" if answer is None else answer["failure"]
        if answer is not None:
            process.end()
    else:
        failure = worker.run(seed, index, kind, str(assembly))
    print(f"{kind.name}: {failure or 'as it should be'}")
    return int(failure is not None)


if __name__ == "__main__":
    sys.exit(main())
