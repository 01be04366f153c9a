"""``doctor``: the check of the installation, and of the classes of a compiled assembly."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.commands import common
from hook_contract.commands.terminal import stdio
from hook_contract.output.sentences import HANG, wrap_lines

if TYPE_CHECKING:
    from rich.console import Console

    from bridge.clr.call.surface import ClassSurface


@click.command(short_help="Check the installation.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option(
    "--assembly",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.dll",
    help="Instead, list the models of an assembly that was compiled against TorchSharp, whether they run, and the members that they use "
    "and this package lacks.",
)
@common.handle_errors
def doctor(as_json: bool, assembly: Path | None) -> int:
    """Check the requirements of the package and its extras, and show how to fix each problem.

    Exit codes: 0: ready (missing extras are only noted). 1: not ready. 2: the command could not run. With --assembly:
    0: this package has every member that the models need. 1: it lacks some.

    \b
    Examples:
      python -m bridge doctor
      python -m bridge doctor --assembly Vision.dll
    """
    if assembly is not None:
        return _assembly(assembly, as_json)
    from bridge.doctor import examine, render, to_json

    report = examine()
    if as_json:
        stdio.say_json(to_json(report) + "\n")
    else:
        console = common.make_console(None)
        console.print(render(report, console.width), soft_wrap=True)
    return 0 if report.ready else 1


def _assembly(path: Path, as_json: bool) -> int:
    from bridge.clr.call.surface import examine
    from bridge.clr.errors import DotNetError
    from bridge.compare.errors import TargetError, describe
    from bridge.doctor import check_torchsharp

    try:
        found = examine(path)
    except (DotNetError, OSError) as error:
        raise TargetError(describe(error)) from error
    if as_json:
        entries = [{**asdict(entry), "runs": entry.runs, "note": entry.note} for entry in found]
        stdio.say_json(json.dumps(entries, indent=2) + "\n")
    else:
        console = common.make_console(None)
        show(console, found)
        console.print(wrap_lines(_sums(found, path), console.width, hang=HANG), soft_wrap=True, markup=False)
        torchsharp = check_torchsharp(path).text
        console.print(f'With runtime="torchsharp": {torchsharp}', soft_wrap=True, markup=False, highlight=False)
    return common.DIFFERENT if any(entry.module and entry.missing for entry in found) else common.SAME


def _sums(found: Iterable[ClassSurface], path: Path) -> str:
    """Return a sentence with the number of model classes that run, and of static methods that return a model, if there are any.

    Classes that cannot be created are not counted.
    """
    kinds = {"class": "module classes", "method": "static methods that return a module"}
    counts = []
    for kind, words in kinds.items():
        runs = [entry.runs for entry in found if entry.module and entry.kind == kind and not entry.obstacle]
        if runs or kind == "class":
            counts.append(f"{sum(runs)} of {len(runs)} {words}")
    return f"{' and '.join(counts)} of {path.name} run."


def show(console: Console, found: Iterable[ClassSurface]) -> None:
    """Print the lines (:meth:`ClassSurface.lines`) of each model, and of each other class that needs missing members."""
    for entry in found:
        if entry.module or entry.missing:
            for line in entry.lines():
                console.print(wrap_lines(line, console.width, hang=HANG), soft_wrap=True, markup=False, highlight=False)
