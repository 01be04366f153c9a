"""``serve``: a Python object as a runtime behind a command."""

from __future__ import annotations

import click

from hook_contract.commands import common


@click.command(short_help="Answer requests for a runtime that is a Python object.")
@click.argument("object", metavar="PACKAGE.MODULE:OBJECT")
@common.handle_errors
def serve(object: str) -> int:
    """Answer requests in lines of JSON on standard input for the runtime OBJECT, until standard input ends.

    `run --runtime PACKAGE.MODULE:OBJECT` starts this command itself. It is also a way to run the object in another environment:

    \b
    Example:
      python -m hook_contract run \\
        --runtime 'other/bin/python -m hook_contract serve toy:RUNTIME'
    """
    from hook_contract.runtimes.server import serve as answer

    answer(object)
    return common.SAME
