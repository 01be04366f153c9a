"""``demo``: the main job on a real model and a real picture."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common


@click.command(short_help="A face detector in PyTorch and in C#, compared.")
@click.option(
    "--html",
    type=common.FILE,
    default=Path("demo.html"),
    show_default=True,
    help="Where to write the page with the picture and the two traces.",
)
@common.json_option
@common.exits
def demo(html: Path, json_out: Path | None) -> int:
    """Run a pretrained face detector in PyTorch and in C#, and lay their traces side by side.

    Exit code 0: the traces are the same. 1: they differ. 2: the demo could not run.
    """
    common.check_outputs(json_out)
    from bridge.demo import run

    found: dict[str, object] = {}
    code = run(common.screen(json_out), html, found)
    common.emit_json(json_out, found)
    return code
