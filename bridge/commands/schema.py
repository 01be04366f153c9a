"""``schema``: a file of the installed torch's operators, for C# without Python."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common
from hook_contract.commands.terminal import stdio


@click.command(short_help="Write the operators of torch for C# without Python.")
@click.option("-o", "--output", type=common.OUTPUT_FILE, default=Path("schemas.txt"), show_default=True, metavar="FILE",
              help="The file to write the operators to.")  # fmt: skip
@common.handle_errors
def schema(output: Path) -> int:
    """Write the aten operators of the installed torch for a .NET program that uses Bridge.Torch without Python.

    The program reads the file and loads the libtorch whose path is printed. The file and the libtorch must come from the same
    torch, so run the command again after installing another torch.

    Exit codes: 0: the file was written. 2: the command could not run.

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
        from hook_contract.output.files import write_atomically

        library = libtorch(Path(torch.__file__).parent / "lib")
        text = schemas.every()
        write_atomically(output, text)
    stdio.say(f"{output}: {len(text.splitlines()):,} aten operators of torch {torch.__version__}, whose libtorch is")
    stdio.say(str(library))
    return common.SAME
