"""``doctor``: the check of the installation, and of the classes of a compiled assembly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.commands import common, stdio

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from bridge.clr.call.surface import ClassSurface


@click.command(short_help="Check the installation.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option(
    "--assembly",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.dll",
    help="Instead, check whether the models of an assembly that was compiled against TorchSharp can run, and list the members that "
    "they use and this package lacks.",
)
@common.handle_errors
def doctor(as_json: bool, assembly: Path | None) -> int:
    """Check the requirements of the package and its extras, and show how to fix each problem.

    Exit codes: 0: ready (missing extras are only noted). 1: not ready. With --assembly: 0: every module class can run.
    1: some module classes cannot run. 2: the file cannot be read.

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
        classes = examine(path)
    except (DotNetError, OSError) as error:
        raise TargetError(describe(error)) from error
    modules = [found for found in classes if found.module]
    lacking = [found for found in modules if found.missing]
    if as_json:
        stdio.say_json(json.dumps([asdict(found) for found in classes], indent=2) + "\n")
    else:
        console = common.make_console(None)
        show(console, classes)
        words = f"{len(modules) - len(lacking)} of {len(modules)} module classes of {path.name} run."
        console.print(words, soft_wrap=True, markup=False)
        torchsharp = check_torchsharp(path).text
        console.print(f'With runtime="torchsharp": {torchsharp}', soft_wrap=True, markup=False, highlight=False)
    return common.DIFFERENT if lacking else common.SAME


def show(console: Console, classes: tuple[ClassSurface, ...]) -> None:
    """Print the members that each class needs and this package lacks, as a table, or as a list if the terminal is too narrow."""
    from bridge.compare.report.terminal import fits

    table = _table(classes)
    if fits(console, table):
        console.print(table)
        return
    for line in _lines(classes):
        console.print(line, soft_wrap=True, markup=False)


def _lines(classes: tuple[ClassSurface, ...]) -> Iterator[str]:
    for found in classes:
        if found.missing:
            yield f"{found.name}{' (module)' if found.module else ''} lacks"
        elif found.module:
            yield f"{found.name} (module) lacks nothing"
        for missing in found.missing:
            yield f"  {missing.member}" + ("" if missing.by == found.name else f", needed by {missing.by}")


def _table(classes: tuple[ClassSurface, ...]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table("class", "", "lacks", "needed by")
    for found in classes:
        if not (found.module or found.missing):
            continue
        first = (escape(found.name), "module" if found.module else "")
        if not found.missing:
            table.add_row(*first, "[green]nothing[/green]", "")
        for missing in found.missing:
            table.add_row(*first, escape(missing.member), "itself" if missing.by == found.name else escape(missing.by))
            first = ("", "")
    return table
