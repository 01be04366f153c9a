"""The command group of ``python -m hook_contract``. Each command is in a file of ``hook_contract.commands``."""

from __future__ import annotations

import click

from hook_contract.commands.fuzz import fuzz
from hook_contract.commands.group import CommandGroup
from hook_contract.commands.results import results
from hook_contract.commands.run import run
from hook_contract.commands.serve import serve
from hook_contract.contract.versions import __version__


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hook-contract")
def main() -> None:
    """Test whether the hooks of a runtime run as the hook contract says.

    A runtime is anything that runs modules with hooks: a framework, a port, a dispatcher, in any language. The --help of each command has
    an example.
    """


for command in (run, fuzz, results, serve):
    main.add_command(command)
