"""``conformance``: the judgement of runtimes by the clauses of the contract (the rules in ``docs/contract.md``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.commands import common
from bridge.runtimes.registry import RUNTIMES
from hook_contract.commands import judging
from hook_contract.commands.common import EXISTING_FILE
from hook_contract.commands.terminal import stdio

if TYPE_CHECKING:
    from hook_contract.conformance.suite import Suite


@click.command(short_help="Check whether runtimes conform to the contract.")
@click.option(
    "--runtime",
    "runtimes",
    multiple=True,
    metavar="NAME|OBJECT|COMMAND",
    # \b keeps click from wrapping the names, which it would break at hyphens.
    help="A runtime to judge: a name, your own package.module:OBJECT, or a command such as 'node runtime.js'. Repeatable.  "
    "[default: all names that can run]\n\n\b\n" + "\n".join(RUNTIMES),
)
@click.option(
    "--device",
    "devices",
    type=click.Choice(("cpu", "cuda")),
    multiple=True,
    help="A device on which to run the programs. Repeatable.  [default: cpu]",
)
@judging.filter_option
@judging.ledger_option
@judging.limit_option
@judging.report_option
@judging.results_option
@click.option(
    "--compare",
    "reports",
    type=EXISTING_FILE,
    nargs=2,
    metavar="OLD NEW",
    help="Run nothing; list the changes between two reports (.jsonl).",
)
@click.option("--accept", "accepted", type=EXISTING_FILE, multiple=True, metavar="FILE",
              help="Run a program file on PyTorch and write the trace to the file's field 'expect'. Repeatable.")  # fmt: skip
@common.json_option
@common.handle_errors
def conformance(
    runtimes: tuple[str, ...],
    devices: tuple[str, ...],
    filters: tuple[str, ...],
    ledgers: tuple[Path, ...],
    limit: float,
    report: Path | None,
    results: Path | None,
    reports: tuple[Path, Path] | None,
    accepted: tuple[Path, ...],
    json_out: Path | None,
) -> int:
    """Run the hook programs on each runtime and judge them clause by clause.

    Without --runtime, all runtimes that can run here are judged. A line lists any others and says
    why they cannot run.

    Exit codes: 0: every runtime conforms (with --compare: nothing changed). 1: at least one does not conform (with
    --compare: something changed). 2: the command could not run, or only the adapter of a runtime failed.

    \b
    Example:
      python -m bridge conformance --runtime pytorch \\
        --filter 'O-*'
    """
    given = {
        "--runtime": runtimes, "--device": devices, "--filter": filters, "--ledger": ledgers, "--report": report, "--results": results,
        "--compare": reports, "--accept": accepted, "--json": json_out,
    }  # fmt: skip
    if accepted:
        _check_alone("--accept", given)
        return _accept(accepted)
    if reports:
        _check_alone("--compare", given, allowed=("--json",))
        common.check_outputs(json_out)
        return _compare(*reports, json_out)
    judging.prepare_files(report, results, json_out)
    with common.progress() as step:
        step("starting")
        from bridge.clr.call.error_log import suppress_errors

        for device in devices:
            common.check_device(device)

        def make() -> Suite:
            from bridge.conformance.choice import prepare_suite

            return prepare_suite(runtimes, filters, judging.read_ledgers(ledgers), limit)

        with suppress_errors():
            found, contract = judging.judge_suite(
                make, devices or ("cpu",), filters, step, report=report, results=results, json_out=json_out
            )
    return judging.show_judgement(found, contract, report=report, json_out=json_out)


def _check_alone(option: str, given: Mapping[str, object], allowed: Sequence[str] = ()) -> None:
    """Raise UsageError if an option besides ``option`` and ``allowed`` has a value in ``given``."""
    others = [name for name, value in given.items() if value and name not in (option, *allowed)]
    if others:
        raise click.UsageError(f"{option} judges no runtime: omit {' and '.join(others)}.")


def _compare(old: Path, new: Path, json_out: Path | None) -> int:
    from rich.text import Text

    from hook_contract.conformance import report_file, terminal
    from hook_contract.conformance.changes import changes
    from hook_contract.output.sentences import plural

    found = changes(report_file.read(old), report_file.read(new))
    if json_out is not None:
        common.write_json(json_out, {"changes": [asdict(change) for change in found]})
    console = common.make_console(json_out)
    for line in terminal.describe_changes(found):
        console.print(line, soft_wrap=True)
    words = (
        f"{plural(len(found), 'change')}, {sum(change.worse for change in found)} for the worse."
        if found
        else "Nothing changed."
    )
    console.print(Text(words, style="bold"), soft_wrap=True)
    return common.DIFFERENT if found else common.SAME


def _accept(files: tuple[Path, ...]) -> int:
    with common.progress() as step:
        step("starting torch")
        from bridge.runtimes.registry import runtime
        from hook_contract.conformance.acceptance import accept
        from hook_contract.output.sentences import plural

        for file in files:
            step(file.name)
            program = accept(file, runtime("pytorch"))
            stdio.say(f"{file}: {program.name}, {plural(len(program.expect or ()), 'event')}")
    return common.SAME
