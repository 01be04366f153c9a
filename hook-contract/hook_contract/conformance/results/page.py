"""The results of several runtimes and versions as an HTML page: a row for each clause, a column for each result.

A clause opens its text and its programs, with both traces of each run that is not as expected. The page loads no other files, and text of a
result cannot become markup (:mod:`hook_contract.output.html`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from hook_contract import contract as contracts
from hook_contract.conformance.judgement import DIVERGES, ERROR, FAIL, NOT_APPLICABLE, PASS, STATES, UNTESTED
from hook_contract.conformance.page import CLASSES
from hook_contract.conformance.report_file import write
from hook_contract.conformance.results.files import Result
from hook_contract.conformance.terminal import SIGNS
from hook_contract.contract import LEVELS, Clause, Contract
from hook_contract.output.html import render, to_json
from hook_contract.output.plain import to_printable
from hook_contract.output.sentences import join_some, plural
from hook_contract.program import Json, Program, corpus
from hook_contract.program.description import describe_program
from hook_contract.program.events import Event, align, describe, key

#: The maximum length of a line of text, and of a runtime's name or version.
_LINE: Final = 2000
_NAME: Final = 40
#: The maximum number of runtimes, clauses or programs that a sentence names.
_NAMED: Final = 5
#: The meaning of each state, for the sentence with the legend.
_MEANINGS: Final = {
    PASS: "it does what PyTorch does",
    FAIL: "it does something else",
    ERROR: "its adapter failed, which says nothing about it",
    DIVERGES: "it differs as a ledger says, for a reason",
    NOT_APPLICABLE: "it lacks what the programs use",
    UNTESTED: "no program has shown it",
}
#: The cell of a clause that a result does not have.
_ABSENT: Final[Mapping[str, Json]] = {"state": UNTESTED, "passed": 0, "total": 0, "reason": "not in this result"}


@dataclass(frozen=True, slots=True)
class _Column:
    """A result as a column of the table. ``starts`` says whether it is the first column of its runtime."""

    result: Result
    runtime: str
    version: str
    starts: bool

    @property
    def name(self) -> str:
        return f"{self.runtime} {self.version}"

    @property
    def full_version(self) -> str:
        return to_printable(self.result.version, _LINE)

    def cell(self, clause: Clause) -> Mapping[str, Json]:
        return self.result.clauses.get(clause.id, _ABSENT)


def write_results_page(
    path: Path, results: Sequence[Result], contract: Contract | None = None, programs: Sequence[Program] | None = None
) -> None:
    """Write the page. Raises OutputError if the page cannot be written; an existing file is then unchanged.

    Without ``contract`` and ``programs``, the page has those of this package.
    """
    contract = contract or contracts.load()
    programs = corpus() if programs is None else programs
    columns = list(_columns(results))
    good = not any(_states(column, contract) & {FAIL, ERROR} for column in columns)
    page = render(
        "hook_contract.conformance",
        "results",
        data=Markup(to_json(_data(contract, programs, columns))),
        verdict=_verdict(columns, contract),
        good=good,
        about=_about(contract, programs, columns),
        problems=list(_problems(contract, programs, columns)),
        runtimes=[(name, len(list(found))) for name, found in groupby(column.runtime for column in columns)],
        columns=columns,
        totals=_totals(contract, columns),
        chapters=contract.chapters,
        states=STATES,
        meanings=_MEANINGS,
        levels=LEVELS,
        classes=CLASSES,
        signs=SIGNS,
    )
    write(path, page)


def _columns(results: Iterable[Result]) -> Iterator[_Column]:
    before = ""
    for result in results:
        name = result.runtime if result.device == "cpu" else f"{result.runtime} on {result.device}"
        yield _Column(result, to_printable(name, _NAME), to_printable(result.short_version, _NAME), name != before)
        before = name


def _states(column: _Column, clauses: Iterable[Clause]) -> set[Json]:
    return {column.cell(clause)["state"] for clause in clauses}


def _verdict(columns: Sequence[_Column], contract: Contract) -> str:
    failed = [column for column in columns if FAIL in _states(column, contract)]
    broken = [column for column in columns if ERROR in _states(column, contract) and column not in failed]
    if not failed and not broken:
        listed = sum(DIVERGES in _states(column, contract) for column in columns)
        but = f", {listed} of them but for what their ledgers list" if listed else ""
        return f"{plural(len(columns), 'result')}: every runtime conforms{but}."
    parts = []
    if failed:
        verb = "does" if len(failed) == 1 else "do"
        parts.append(f"{len(failed)} of {plural(len(columns), 'result')} {verb} not conform: {_names(failed)}")
    if broken:
        parts.append(f"{plural(len(broken), 'result')} with errors of adapters: {_names(broken)}")
    return "; ".join(parts) + "."


def _names(columns: Iterable[_Column]) -> str:
    """Name columns: ``dotnet 8.0.4, 9.0.11; hooks 0.1.0``."""
    found = groupby(columns, lambda column: column.runtime)
    named = [f"{name} {', '.join(column.version for column in mine)}" for name, mine in found]
    return join_some(named, _NAMED, "; ")


def _about(contract: Contract, programs: Sequence[Program], columns: Sequence[_Column]) -> str:
    levels = Counter(clause.level for clause in contract)
    counts = ", ".join(f"{levels[level]} {level}" for level in LEVELS)
    versions = dict.fromkeys(to_printable(column.result.pytorch) for column in columns)
    expected = f" Expected is what PyTorch {', '.join(versions)} does." if any(versions) else ""
    return (
        f"The hook contract {contract.version} has {plural(len(contract), 'clause')} ({counts}) "
        f"and {plural(len(programs), 'program')} that test them.{expected}"
    )


def _problems(contract: Contract, programs: Sequence[Program], columns: Sequence[_Column]) -> Iterator[str]:
    """Yield sentences on results that do not fit the contract or the programs of the page."""
    known = {program.name for program in programs}
    for column in columns:
        result = column.result
        if result.contract != contract.version:
            yield f"{column.name} was judged by the contract {to_printable(result.contract)}, and this page shows {contract.version}."
        unknown = [to_printable(clause) for clause in result.clauses if clause not in contract]
        unknown += [to_printable(name) for name in result.programs if name not in known]
        if unknown:
            yield f"{column.name} has results of clauses or programs that are unknown here: {join_some(unknown, _NAMED)}."


def _totals(contract: Contract, columns: Sequence[_Column]) -> list[tuple[str, str, list[str]]]:
    """Return the rows above the clauses: a title, the CSS class of numbers other than 0, and a number for each column."""

    def of(level: str) -> list[str]:
        rows = []
        for column in columns:
            states = [column.cell(clause)["state"] for clause in contract if clause.level == level]
            applies = [state for state in states if state not in (NOT_APPLICABLE, UNTESTED)]
            rows.append(f"{applies.count(PASS)}/{len(applies)}")
        return rows

    def count(*chosen: str) -> list[str]:
        return [str(sum(column.cell(clause)["state"] in chosen for clause in contract)) for column in columns]

    return [
        *((f"{level}: passed of those that apply", "", of(level)) for level in LEVELS if level != "MAY"),
        ("Diverge as listed", CLASSES[DIVERGES], count(DIVERGES)),
        ("Fail, or could not be judged", CLASSES[FAIL], count(FAIL, ERROR)),
    ]


class _Pool:
    """Numbers for values that occur many times, so that the page has each of them once."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._numbers: dict[object, int] = {}

    def number(self, item: object, value: object) -> int:
        """Return the number of an item; ``value`` stands for it in the page."""
        if item not in self._numbers:
            self._numbers[item] = len(self.items)
            self.items.append(value)
        return self._numbers[item]


def _data(contract: Contract, programs: Sequence[Program], columns: Sequence[_Column]) -> dict[str, Any]:
    """Return the data of the page's script. Columns, states, programs, lines and rows are referred to by their numbers.

    - ``cells``: for each clause, a list [state, passed, total, reason] for each column.
    - ``programs``: their runs that are not a pass are lists [column, state, variant, reason, ledger's row, rows]; ``total`` has the number
      of runs for each column.
    - ``rows``: the aligned events of two traces, expected and actual one after the other. -1 is no event.
    """
    lines, rows = _Pool(), _Pool()

    def line(text: Json) -> int:
        return lines.number(("text", text), to_printable(str(text), _LINE))

    def event(item: Event | None) -> int:
        return -1 if item is None else lines.number(("event", key(item)), to_printable(_describe(item), _LINE))

    def aligned(expected: Sequence[Event], run: Mapping[str, Json]) -> int:
        if "trace" not in run:
            return -1
        found = tuple(event(item) for pair in align(expected, run["trace"]) for item in pair)
        return rows.number(found, found)

    def program(item: Program) -> dict[str, Any]:
        ran = [column.result.programs.get(item.name, ()) for column in columns]
        return {
            "name": to_printable(item.name),
            "about": to_printable(item.about, _LINE),
            "steps": [_indented(step) for step in describe_program(item)],
            "expect": [event(found) for found in item.expect or ()],
            "total": [len(runs) for runs in ran],
            "runs": [
                [
                    number,
                    STATES.index(run["state"]),
                    line(run.get("variant", "")),
                    line(run.get("reason", "")),
                    line(run.get("row", "")),
                    aligned(item.expect or (), run),
                ]
                for number, runs in enumerate(ran)
                for run in runs
                if run["state"] != PASS
            ],
        }

    return {
        "states": STATES,
        "classes": [CLASSES[state] for state in STATES],
        "signs": [SIGNS[state] for state in STATES],
        "columns": [
            {
                "runtime": column.runtime,
                "version": column.version,
                "full": column.full_version,
                "device": to_printable(column.result.device),
                "contract": to_printable(column.result.contract),
                "pytorch": to_printable(column.result.pytorch),
            }
            for column in columns
        ],
        "clauses": {
            clause.id: {
                "text": to_printable(clause.text, _LINE),
                "level": clause.level,
                "note": to_printable(clause.note, _LINE),
                "holds": f"PyTorch {clause.since}{f' until {clause.until}' if clause.until else '+'}",
                "programs": [number for number, item in enumerate(programs) if clause.id in item.clauses],
                "cells": [
                    [STATES.index(cell["state"]), cell["passed"], cell["total"], line(cell.get("reason", ""))]
                    for cell in (column.cell(clause) for column in columns)
                ],
            }
            for clause in contract
        },
        "programs": [program(item) for item in programs],
        "lines": lines.items,
        "rows": rows.items,
    }


def _indented(step: str) -> str:
    text = step.lstrip()
    return step[: len(step) - len(text)] + to_printable(text, _LINE)


def _describe(event: Event) -> str:
    """Describe an event of a result's file, which may have been written by hand: as JSON if it has not the fields of its kind."""
    try:
        return describe(event)
    except (KeyError, TypeError, AttributeError, ValueError):
        return key(event)
