"""The command group of ``python -m bridge``. Each command is in a file of ``bridge.commands``.

torch is imported and .NET is started only while a command runs, so that ``--help`` answers at once and ``doctor`` works without torch.
"""

from __future__ import annotations

import click

from bridge.commands.compare import compare
from bridge.commands.conformance import conformance
from bridge.commands.demo import demo
from bridge.commands.diff import diff
from bridge.commands.doctor import doctor
from bridge.commands.export import export
from bridge.commands.fuzz import fuzz
from bridge.commands.port import port
from bridge.commands.schema import schema
from bridge.commands.trace import trace
from bridge.version import __version__
from hook_contract.commands.group import CommandGroup


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchsharp-bridge")
def main() -> None:
    """Compare, port and run C# models written for TorchSharp beside PyTorch.

    `torchsharp-bridge` is the same command as `python -m bridge`. Start with `doctor`, which checks the installation. The --help of each
    command has an example.
    """


for command in (compare, port, export, trace, diff, conformance, fuzz, schema, demo, doctor):
    main.add_command(command)
