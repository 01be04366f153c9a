"""``demo``: a pretrained model on a picture, in PyTorch and in C#."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common


@click.command(short_help="Run a pretrained face detector in PyTorch and in C#.")
@click.option(
    "--html",
    type=common.OUTPUT_FILE,
    default=Path("demo.html"),
    show_default=True,
    help="The file to write the HTML page to.",
)
@common.device_option
@common.json_option
@common.handle_errors
def demo(html: Path, device: str, json_out: Path | None) -> int:
    """Run a pretrained face detector in PyTorch and in C#, and compare their traces.

    Exit codes: 0: traces and faces agree, and hooks fire as expected. 1: they do not. 2: the command could not run.

    \b
    Example:
      python -m bridge demo --html faces.html
    """
    common.check_outputs(json_out, html)
    common.check_device(device)
    from bridge.demo import run

    found: dict[str, object] = {}
    code = run(common.make_console(json_out), html, found, device)
    common.write_json(json_out, found)
    return code
