"""``conformance``: the judgement of runtimes by the clauses of the contract (the rules in ``docs/contract.md``)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.commands import common
from bridge.commands.terminal import stdio
from bridge.output.sentences import suggest
from bridge.runtimes.runtime import RUNTIMES

if TYPE_CHECKING:
    from bridge.conformance.judgement import Judgement
    from bridge.contract import Contract

_FOLDER = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(short_help="Check whether runtimes conform to the contract.")
@click.option(
    "--runtime",
    "runtimes",
    multiple=True,
    metavar="NAME",
    # \b keeps click from wrapping the names, which it would break at hyphens.
    help="A runtime to judge. Repeatable.  [default: all that can run]\n\n\b\n" + "\n".join(RUNTIMES),
)
@click.option(
    "--device",
    "devices",
    type=click.Choice(("cpu", "cuda")),
    multiple=True,
    help="A device on which to run the programs. Repeatable.  [default: cpu]",
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="CLAUSE|GLOB",
    help="Judge only these clauses ('O-1', 'A-*') or programs. Repeatable.",
)
@click.option(
    "--report", type=_FOLDER, metavar="DIR", help="Write conformance.jsonl and conformance.html to this folder."
)
@click.option(
    "--compare",
    "reports",
    type=_FILE,
    nargs=2,
    metavar="OLD NEW",
    help="Run nothing; list the changes between two reports (.jsonl).",
)
@click.option("--accept", "accepted", type=_FILE, multiple=True, metavar="FILE",
              help="Run a program file on PyTorch and write the trace to the file's field 'expect'. Repeatable.")  # fmt: skip
@common.json_option
@common.handle_errors
def conformance(
    runtimes: tuple[str, ...],
    devices: tuple[str, ...],
    filters: tuple[str, ...],
    report: Path | None,
    reports: tuple[Path, Path] | None,
    accepted: tuple[Path, ...],
    json_out: Path | None,
) -> int:
    """Run the hook programs on each runtime and judge them clause by clause.

    Without --runtime, all runtimes that can run here are judged. A line lists any others and says
    why they cannot run.

    Exit codes: 0: every runtime conforms (with --compare: nothing changed). 1: at least one does not conform (with
    --compare: something changed). 2: the command could not run.

    \b
    Example:
      python -m bridge conformance --runtime pytorch \\
        --filter 'O-*'
    """
    given = {
        "--runtime": runtimes, "--device": devices, "--filter": filters, "--report": report, "--compare": reports,
        "--accept": accepted, "--json": json_out,
    }  # fmt: skip
    if accepted:
        _check_alone("--accept", given)
    if reports:
        _check_alone("--compare", given, allowed=("--json",))
    common.check_outputs(json_out)
    if reports:
        return _compare(*reports, json_out)
    if accepted:
        return _accept(accepted)
    return _judge(runtimes, devices or ("cpu",), filters, report, json_out)


def _check_alone(option: str, given: Mapping[str, object], allowed: Sequence[str] = ()) -> None:
    """Raise UsageError if an option besides ``option`` and ``allowed`` has a value in ``given``."""
    others = [name for name, value in given.items() if value and name not in (option, *allowed)]
    if others:
        raise click.UsageError(f"{option} judges no runtime: omit {' and '.join(others)}.")


def _judge(
    names: tuple[str, ...],
    devices: tuple[str, ...],
    filters: tuple[str, ...],
    report: Path | None,
    json_out: Path | None,
) -> int:
    for name in names:
        if name not in RUNTIMES:
            raise click.UsageError(
                f"unknown runtime '{name}': choose from {', '.join(RUNTIMES)}.{suggest(name, RUNTIMES)}"
            )
    if report is not None:
        from bridge.output.files import output_errors

        with output_errors(report):
            report.mkdir(parents=True, exist_ok=True)
        common.check_outputs(report / "conformance.jsonl", report / "conformance.html")
    began = time.perf_counter()
    with common.progress() as step:
        step("starting")
        from bridge.clr.call.error_log import suppress_errors
        from bridge.conformance import report_file, suite

        for device in devices:
            common.check_device(device)
        with suppress_errors():
            found, contract = suite.run_suite(names, devices, filters, step)
        seconds = time.perf_counter() - began
        if report is not None:
            from bridge.conformance.page import write_page

            step("writing")
            text = report_file.text(found, contract=contract.version, chosen=filters, seconds=seconds)
            report_file.write(report / "conformance.jsonl", text)
            write_page(report / "conformance.html", found, contract, text)
        if json_out is not None:
            common.write_json(json_out, report_file.summary(found, contract=contract.version, seconds=seconds))
    _show(found, contract, report, json_out)
    return common.SAME if found.passed else common.DIFFERENT


def _show(found: Judgement, contract: Contract, report: Path | None, json_out: Path | None) -> None:
    from rich.text import Text

    from bridge.conformance import terminal

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


def _compare(old: Path, new: Path, json_out: Path | None) -> int:
    from rich.text import Text

    from bridge.conformance import report_file, terminal
    from bridge.conformance.changes import changes
    from bridge.output.sentences import plural

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
        from bridge.conformance.acceptance import accept
        from bridge.output.sentences import plural

        for file in files:
            step(file.name)
            program = accept(file)
            stdio.say(f"{file}: {program.name}, {plural(len(program.expect or ()), 'event')}")
    return common.SAME
