"""``doctor``: what is there, what is missing, and the fix."""

from __future__ import annotations

import click

from bridge.commands import common, stdio


@click.command(short_help="What is there, what is missing, and the fix.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@common.exits
def doctor(as_json: bool) -> int:
    """Look at everything that the main job needs; for each problem, tell the fix.

    Exit code 0: the main job can run. 1: it cannot.
    """
    from bridge.doctor import examine, render, to_json

    report = examine()
    if as_json:
        stdio.say_json(to_json(report) + "\n")
    else:
        common.screen(None).print(render(report))
    return 0 if report.ready else 1
