"""``schema``: what C# needs of this torch to run without Python."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common, stdio


@click.command(short_help="Write what C# needs to run without Python.")
@click.option("-o", "--output", type=common.FILE, default=Path("schemas.txt"), show_default=True, metavar="FILE",
              help="Where to write the operators.")  # fmt: skip
@common.exits
def schema(output: Path) -> int:
    """Write the operators of this torch for a .NET program that runs on Bridge.Torch without Python.

    The program reads the file, and loads the libtorch whose path is printed. Both must be of the same version of torch, so write the
    file again after you install another one.

    Exit codes: 0: written. 2: could not run.

    \b
    Example:
      python -m bridge schema -o schemas.txt
    """
    common.check_outputs(output)
    with common.progress() as step:
        step("starting torch")
        import torch

        from bridge.clr.start import schemas
        from bridge.clr.start.runtime import libtorch
        from bridge.output.files import write_at_once

        library = libtorch(Path(torch.__file__).parent / "lib")
        text = schemas.every()
        write_at_once(output, text)
    stdio.say(f"{output}: {len(text.splitlines()):,} operators of torch {torch.__version__}, whose libtorch is")
    stdio.say(str(library))
    return common.SAME
