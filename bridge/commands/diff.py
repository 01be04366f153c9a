"""``diff``: the comparison of two trace files."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common


@click.command(short_help="Compare two trace files.")
@click.argument("a", type=click.Path(path_type=Path), metavar="A.jsonl")
@click.argument("b", type=click.Path(path_type=Path), metavar="B.jsonl")
@common.tolerance_options
@common.json_option
@common.html_option
@common.handle_errors
def diff(a: Path, b: Path, rtol: float, atol: float, json_out: Path | None, html_out: Path | None) -> int:
    """Compare two trace files, and report the first difference in structure and in values.

    A file without an end is compared as far as it goes.
    Exit codes: 0: the traces agree. 1: they differ, or one is incomplete. 2: the command could not run.

    \b
    Example:
      python -m bridge diff python.jsonl dotnet.jsonl
    """
    from bridge.trace.file import beside, diff_files

    common.check_outputs(json_out, html_out, inputs=(a, b, beside(a), beside(b)))
    with common.progress() as step:
        step(f"comparing {a.name} and {b.name}")
        from bridge.compare.report import summary

        found = diff_files(a, b, rtol=rtol, atol=atol)
        verdict = "Same." if found.same else "Different."
        if json_out is not None:
            common.write_json(json_out, summary.diff_to_json(found))
        common.write_html(
            html_out, found, title=f"{a.name} and {b.name}", verdict=verdict, figures=summary.figures(found)
        )
    from rich.text import Text

    from bridge.compare.report.terminal import render_traces

    console = common.make_console(json_out)
    if console.is_terminal:
        console.print(render_traces(found, limit=common.ROWS))
    for note in found.notes:
        console.print(Text(note), soft_wrap=True)
    common.print_report_path(console, html_out)
    console.print(Text(found.explain(), style="bold green" if found.same else "bold red"), soft_wrap=True)
    return common.SAME if found.same else common.DIFFERENT
