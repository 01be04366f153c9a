"""The judgement of runtimes as a command shows it: the options, the table, the failures, the verdict, and the files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hook_contract.commands import common
from hook_contract.runtimes.loading import LIMIT

if TYPE_CHECKING:
    from hook_contract.conformance.judgement import Judgement
    from hook_contract.conformance.suite import Suite
    from hook_contract.contract import Contract
    from hook_contract.contract.ledger import Divergence

# fmt: off
filter_option = click.option("--filter", "filters", multiple=True, metavar="CLAUSE|GLOB",
                             help="Judge only these clauses ('O-1', 'A-*') or programs. Repeatable.")
report_option = click.option("--report", type=common.FOLDER, metavar="DIR",
                             help="Write conformance.jsonl and conformance.html to this folder.")
results_option = click.option("--results", type=common.FOLDER, metavar="DIR",
                              help="Write a file for each runtime and version to this folder: NAME@VERSION.json.")
ledger_option = click.option("--ledger", "ledgers", type=common.EXISTING_FILE, multiple=True, metavar="FILE",
                             help="A TOML file of known differences, with a reason each. Repeatable.")
limit_option = click.option("--limit", type=click.FloatRange(min=0, min_open=True), default=LIMIT, show_default=True, metavar="SECONDS",
                            help="The time for each program in a runtime of another process.")
# fmt: on


def read_ledgers(paths: Sequence[Path]) -> tuple[Divergence, ...]:
    """Read the rows of ledgers. Raises LedgerError."""
    from hook_contract.contract.ledger import read

    return tuple(row for path in paths for row in read(path))


def prepare_files(report: Path | None, results: Path | None, json_out: Path | None) -> None:
    """Make the folders of a judgement's files, before the work begins. Raises OutputError."""
    from hook_contract.output.files import output_errors

    common.check_outputs(json_out)
    for folder in (report, results):
        if folder is not None:
            with output_errors(folder):
                folder.mkdir(parents=True, exist_ok=True)
    if report is not None:
        common.check_outputs(report / "conformance.jsonl", report / "conformance.html")


def judge_suite(
    make: Callable[[], Suite],
    devices: Sequence[str],
    filters: Sequence[str],
    step: Callable[[str], None],
    *,
    report: Path | None,
    results: Path | None,
    json_out: Path | None,
) -> tuple[Judgement, Contract]:
    """Run the suite that ``make`` returns, judge the runs, and write the files.

    Raises the errors of ``make`` and of starting a runtime, and OutputError.
    """
    from hook_contract.conformance import report_file
    from hook_contract.conformance.suite import run_suite

    began = time.perf_counter()
    step("starting the runtimes")
    suite = make()
    found, contract = run_suite(suite, devices, step), suite.contract
    seconds = time.perf_counter() - began
    step("writing")
    if report is not None:
        from hook_contract.conformance.page import write_page

        text = report_file.text(found, contract=contract.version, chosen=filters, seconds=seconds)
        report_file.write(report / "conformance.jsonl", text)
        write_page(report / "conformance.html", found, contract, text)
    if results is not None:
        from hook_contract.conformance.results.files import write_results

        write_results(results, found, contract)
    if json_out is not None:
        common.write_json(json_out, report_file.summary(found, contract=contract.version, seconds=seconds))
    return found, contract


def show_judgement(found: Judgement, contract: Contract, *, report: Path | None, json_out: Path | None) -> int:
    """Print a judgement and return the exit code: 0 if all runtimes conform, 1 if one does not, 2 if only adapters failed."""
    from rich.text import Text

    from hook_contract.conformance import terminal

    console = common.make_console(json_out)
    if console.is_terminal:
        console.print(terminal.matrix(found, contract))
        console.print(terminal.legend())
    for item in (*terminal.failures(found, contract), *terminal.unjudged(found)):
        console.print(item, soft_wrap=True)
    if single := terminal.single(found):
        console.print(Text(single), soft_wrap=True)
    if found.left_out:
        console.print(Text(found.left_out, style="yellow"), soft_wrap=True)
    common.print_report_path(console, None if report is None else report / "conformance.html")
    console.print(
        Text(terminal.verdict(found), style=f"bold {'green' if found.passed else 'red'}"),
        soft_wrap=True,
    )
    if found.passed:
        return common.SAME
    return common.DIFFERENT if found.failed else common.CANNOT_RUN
