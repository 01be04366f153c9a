"""``doctor``: what is there, what is missing, and the fix."""

from __future__ import annotations

import sys

import click


@click.command(short_help="What is there, what is missing, and the fix.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> None:
    """Look at everything that the main job needs; for each problem, tell the fix.

    Exit code 0: the main job can run. 1: it cannot.
    """
    from bridge.doctor import examine, render, to_json

    report = examine()
    if as_json:
        click.echo(to_json(report))
    else:
        from rich.console import Console

        Console().print(render(report))
    sys.exit(0 if report.ready else 1)
