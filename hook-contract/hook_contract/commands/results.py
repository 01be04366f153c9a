"""``results``: the results of several runtimes and versions as one page."""

from __future__ import annotations

from pathlib import Path

import click

from hook_contract.commands import common
from hook_contract.commands.terminal import stdio


@click.command(short_help="Make a page of the results in a folder.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR")
@click.option("-o", "--output", type=common.OUTPUT_FILE, default=Path("results.html"), show_default=True, metavar="FILE",
              help="The page.")  # fmt: skip
@common.handle_errors
def results(folder: Path, output: Path) -> int:
    """Make a page of the results in DIR: a row for each clause, a column for each runtime and version.

    `run --results DIR` writes the results.

    Exit codes: 0: the page was written. 2: the command could not run.

    \b
    Example:
      python -m hook_contract results docs/results
    """
    from hook_contract.conformance.results.files import read_folder
    from hook_contract.conformance.results.page import write_results_page
    from hook_contract.output.sentences import plural

    common.check_outputs(output)
    found = read_folder(folder)
    write_results_page(output, found)
    stdio.say(f"{output}: {plural(len(found), 'result')}")
    return common.SAME
