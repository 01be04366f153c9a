"""The conformance report as an HTML page.

The page has a table of clauses and runtimes. For each cell of the table, the page has the clause's text and its programs with their traces.
The page loads no other files, and text of a trace cannot become markup (:mod:`hook_contract.output.html`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from hook_contract.conformance import terminal
from hook_contract.conformance.judgement import (
    DIVERGES,
    ERROR,
    FAIL,
    NOT_APPLICABLE,
    PASS,
    STATES,
    UNTESTED,
    Judgement,
    Outcome,
)
from hook_contract.conformance.report_file import write
from hook_contract.output.html import render, to_json
from hook_contract.output.plain import to_printable
from hook_contract.program import Program, description
from hook_contract.program.events import align, describe, key

if TYPE_CHECKING:
    from hook_contract.contract import Contract

#: The maximum number of failing runs listed above the table. The details of the table's cells list all failing runs.
FIRST: Final = 20
#: The maximum length of a line of text.
_LINE: Final = 2000
#: The CSS class of each state.
CLASSES: Final = {
    PASS: "pass",
    FAIL: "fail",
    ERROR: "error",
    DIVERGES: "diverges",
    NOT_APPLICABLE: "lacks",
    UNTESTED: "untested",
}

#: A row of two aligned traces: the expected event, the actual event, and whether both events are equal.
Row = tuple[str | None, str | None, bool]


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failing run that is listed above the table. ``first`` is the index of the first row that differs, -1 if there is none."""

    name: str
    where: str
    reason: str
    about: str
    clauses: tuple[str, ...]
    rows: Sequence[Row]
    first: int


def write_page(path: Path, judgement: Judgement, contract: Contract, report: str) -> None:
    """Write the page. Raises OutputError if the page cannot be written; an existing file is then unchanged.

    ``report`` is the text of the report file (:func:`hook_contract.conformance.report_file.text`). The page shows its header and footer.
    """
    header, footer = (json.loads(report.splitlines()[at]) for at in (0, -1))
    columns = [(name, device) for name in judgement.runs.versions for device in judgement.runs.devices]
    chosen = {cell.clause for cell in judgement.cells}
    chapters = [
        (chapter.letter, chapter.title, [clause for clause in chapter.clauses if clause.id in chosen])
        for chapter in contract.chapters
    ]
    cells = {(cell.clause, cell.runtime, cell.device): cell for cell in judgement.cells}
    failures = [item for item in judgement.outcomes if item.state in (FAIL, ERROR)]
    page = render(
        "hook_contract.conformance",
        "conformance",
        data=Markup(to_json(_data(judgement, contract, columns))),
        verdict=terminal.verdict(judgement),
        good=judgement.passed,
        single=terminal.single(judgement),
        problems=[to_printable(problem, _LINE) for problem in judgement.problems],
        figures=_figures(header, footer),
        columns=[f"{name} {device}" for name, device in columns],
        chapters=[item for item in chapters if item[2]],
        cell=lambda clause, column: cells[clause, *columns[column]],
        states=STATES,
        classes=CLASSES,
        signs=terminal.SIGNS,
        failures=[_failure(item) for item in failures[:FIRST]],
        more=max(0, len(failures) - FIRST),
        rows=judgement.rows,
    )
    write(path, page)


def _figures(header: dict[str, Any], footer: dict[str, Any]) -> dict[str, str]:
    found = {
        "Contract": header["contract"],
        **header["runtimes"],
        "Devices": ", ".join(header["devices"]),
        **({"Only": ", ".join(header["filter"])} if header["filter"] else {}),
        "Machine": ", ".join(f"{name} {what}" for name, what in header["machine"].items()),
        "Time": f"{header['time']}, {footer['seconds']} s",
        "Digest": footer["digest"],
    }
    return {to_printable(name): to_printable(str(what), 500) for name, what in found.items()}


def _failure(item: Outcome) -> _Failure:
    ran = item.ran
    rows = _rows(item)
    first = next((number for number, row in enumerate(rows) if not row[2]), -1)
    where = f"{ran.runtime}{f' ({ran.variant})' if ran.variant else ''} on {ran.device}"
    return _Failure(
        ran.program.name, where, to_printable(item.reason, _LINE), ran.program.about, ran.program.clauses, rows, first
    )


def _rows(item: Outcome) -> list[Row]:
    if item.difference is None:
        return []
    pairs = align(item.ran.program.expect or (), item.ran.events)
    return [(_line(left), _line(right), key(left) == key(right)) for left, right in pairs]


def _data(judgement: Judgement, contract: Contract, columns: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the data of the page's script: the clauses by id, the programs, and the runs.

    A run whose trace differs from the expected one has both traces, aligned (``rows``).
    """
    programs = {program.name: number for number, program in enumerate(judgement.runs.programs)}
    return {
        "columns": [f"{name} {device}" for name, device in columns],
        "states": list(STATES),
        "classes": [CLASSES[state] for state in STATES],
        "signs": [terminal.SIGNS[state] for state in STATES],
        "clauses": {
            clause.id: {
                "text": to_printable(clause.text, _LINE),
                "level": clause.level,
                "note": to_printable(clause.note, _LINE),
            }
            for clause in contract
        },
        "programs": [_program(program) for program in judgement.runs.programs],
        "runs": [
            {
                "program": programs[item.ran.program.name],
                "column": columns.index((item.ran.runtime, item.ran.device)),
                "variant": to_printable(item.ran.variant),
                "state": STATES.index(item.state),
                "reason": to_printable(item.reason, _LINE),
                "row": item.row,
                **({"rows": rows} if (rows := _rows(item)) else {}),
            }
            for item in judgement.outcomes
        ],
    }


def _program(program: Program) -> dict[str, Any]:
    return {
        "name": to_printable(program.name),
        "about": to_printable(program.about, _LINE),
        "clauses": list(program.clauses),
        "steps": [
            line[: len(line) - len(line.lstrip())] + to_printable(line.lstrip(), _LINE)
            for line in description.describe_program(program)
        ],
        "expect": [_line(event) for event in program.expect or ()],
    }


def _line(event: Any) -> str | None:
    return None if event is None else to_printable(describe(event), _LINE)
