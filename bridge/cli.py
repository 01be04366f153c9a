"""The commands: they parse, call and print, and have no logic of their own.

What is heavy (torch, .NET, the demo) is imported by the command that needs it, so that ``--help`` answers at once and
``doctor`` still speaks where torch is missing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bridge import __version__

#: What a shell reports for a program that Ctrl-C ended: 128 + SIGINT.
INTERRUPTED = 130


class _Group(click.Group):
    """A command group that leaves with 130 on Ctrl-C, where click alone would say 'Aborted!' and leave with 1."""

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            context.exit(INTERRUPTED)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchsharp-bridge")
def main() -> None:
    """PyTorch's hooks and TorchSharp models: one model, two runtimes, one trace."""


@main.command()
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo.html"),
    show_default=True,
    help="Where to write the page with the picture and the two traces.",
)
def demo(html: Path) -> None:
    """Run a pretrained face detector in PyTorch and in C#, and lay their traces side by side.

    Exit code 0: the traces are the same. 1: they differ. 2: the demo could not run.
    """
    from rich.console import Console

    from bridge.demo import run

    sys.exit(run(Console(), html))


@main.command()
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
