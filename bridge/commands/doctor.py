"""``doctor``: what is there, what is missing, and the fix."""

from __future__ import annotations

import click

from bridge.commands import common, stdio


@click.command(short_help="Check the installation.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@common.exits
def doctor(as_json: bool) -> int:
    """Check everything that the package and its extras need, and show how to fix each problem.

    Exit codes: 0: ready; notes say which extras are missing. 1: not ready.
    """
    from bridge.doctor import examine, render, to_json

    report = examine()
    if as_json:
        stdio.say_json(to_json(report) + "\n")
    else:
        console = common.screen(None)
        console.print(render(report, console.width), soft_wrap=True)
    return 0 if report.ready else 1
