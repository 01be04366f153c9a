"""The differences between two conformance reports: in versions, clauses, programs, known divergences and problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hook_contract.conformance.judgement import ERROR, FAIL
from hook_contract.conformance.report_file import ConformanceReport
from hook_contract.program import Json

_CELL: Final = ("clause", "runtime", "device")
_PROGRAM: Final = ("program", "runtime", "variant", "device")
_BAD: Final = (FAIL, ERROR)
#: The fields of a report line that are compared between two reports.
_COMPARED: Final = ("state", "passed", "total", "reason", "row", "first", "trace")


@dataclass(frozen=True, slots=True)
class Change:
    """A line of a report that differs in another report, or that only one of the two has. The versions in the header count as lines.

    Attributes:
        kind: ``runtime`` (a version, also the contract's), ``cell`` (a clause on a runtime and device), ``program``,
            ``divergence`` or ``problem``.
        name: The words that identify the line, such as clause, runtime and device.
        was: A description of the line in the old report, "" if that report does not have the line.
        now: A description of the line in the new report, "" if that report does not have the line.
        worse: Whether the line says ``fail`` or ``error`` in the new report and not in the old one. A problem counts as ``fail``.
    """

    kind: str
    name: str
    was: str
    now: str
    worse: bool

    def __str__(self) -> str:
        return f"{self.name}: {self.was or 'was not there'} -> {self.now or 'is not there'}"


def changes(old: ConformanceReport, new: ConformanceReport) -> tuple[Change, ...]:
    """Return the differences in the order of the new report. Lines that only the old report has are last of their kind."""
    return (
        *_compare_lines("runtime", _version_lines(old), _version_lines(new), ("name",)),
        *_compare_lines("cell", old.cells, new.cells, _CELL),
        *_compare_lines("program", old.programs, new.programs, _PROGRAM),
        *_compare_lines("divergence", old.divergences, new.divergences, ("id",)),
        *_compare_lines("problem", _problem_lines(old), _problem_lines(new), ("problem",)),
    )


def _version_lines(report: ConformanceReport) -> list[Mapping[str, Json]]:
    known = {"contract": report.header["contract"], **report.header["runtimes"]}
    return [{"name": name, "state": version} for name, version in known.items()]


def _problem_lines(report: ConformanceReport) -> list[Mapping[str, Json]]:
    return [{"problem": problem, "state": FAIL} for problem in report.problems]


def _compare_lines(
    kind: str, old: Sequence[Mapping[str, Json]], new: Sequence[Mapping[str, Json]], names: Sequence[str]
) -> list[Change]:
    before = {_key(line, names): line for line in old}
    after = {_key(line, names): line for line in new}
    found = []
    for key in dict.fromkeys((*after, *before)):
        was, now = before.get(key), after.get(key)
        if was is None or now is None or any(was.get(field) != now.get(field) for field in _COMPARED):
            worse = now is not None and now["state"] in _BAD and (was is None or was["state"] not in _BAD)
            found.append(Change(kind, " ".join(part for part in key if part), _describe(was), _describe(now), worse))
    return found


def _key(line: Mapping[str, Json], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(line[name]) for name in names)


def _describe(line: Mapping[str, Json] | None) -> str:
    if line is None:
        return ""
    count = f" {line['passed']}/{line['total']}" if "passed" in line else ""
    row = f" ({line['row']})" if "row" in line else ""
    first = f", from event {line['first']['number']}" if "first" in line else ""
    return f"{line['state']}{count}{row}{first}"
