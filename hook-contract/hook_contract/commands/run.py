"""``run``: the judgement of runtimes by the clauses of the contract."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hook_contract.commands import common, judging

if TYPE_CHECKING:
    from hook_contract.conformance.suite import Suite


@click.command(short_help="Run the contract's programs on runtimes, and judge them.")
@click.option("--runtime", "runtimes", multiple=True, required=True, metavar="NAME|OBJECT|COMMAND",
              help="A runtime: 'model' (the contract in pure Python), package.module:OBJECT, or a command such as 'node runtime.js'. "
                   "Repeatable.")  # fmt: skip
@judging.ledger_option
@click.option("--device", "devices", multiple=True, metavar="NAME",
              help="A device on which to run the programs. Repeatable.  [default: cpu]")  # fmt: skip
@judging.filter_option
@judging.limit_option
@judging.report_option
@judging.results_option
@common.json_option
@common.handle_errors
def run(
    runtimes: tuple[str, ...],
    ledgers: tuple[Path, ...],
    devices: tuple[str, ...],
    filters: tuple[str, ...],
    limit: float,
    report: Path | None,
    results: Path | None,
    json_out: Path | None,
) -> int:
    """Run the hook programs on each runtime and judge them clause by clause.

    The traces of PyTorch, which the programs hold, are what is expected. A difference that is not in a ledger fails, and so does a row of
    a ledger whose difference no longer occurs. A fault of an adapter is an error and says nothing about the runtime.

    Exit codes: 0: every runtime conforms. 1: at least one does not. 2: the command could not run, or only adapters failed.

    \b
    Example:
      python -m hook_contract run \\
        --runtime 'node runtime.js' --filter 'O-*'
    """
    judging.prepare_files(report, results, json_out)
    with common.progress() as step:

        def make() -> Suite:
            from hook_contract.conformance.suite import prepare
            from hook_contract.runtimes.loading import find_runtime

            rows = judging.read_ledgers(ledgers)
            return prepare([find_runtime(text, limit) for text in runtimes], rows, filters)

        found, contract = judging.judge_suite(
            make, devices or ("cpu",), filters, step, report=report, results=results, json_out=json_out
        )
    return judging.show_judgement(found, contract, report=report, json_out=json_out)
