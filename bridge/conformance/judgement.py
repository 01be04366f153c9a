"""The verdict on a run: each trace against the program's expected trace, then clause by clause.

The suite fails for a must-clause without a passing program on each of its runtimes, a run that executed nothing, a skip without a reason,
a variant in which a full run ran nothing, a difference that the ledger does not list, and a listed difference that no longer occurs.
Differences on a PyTorch newer than any tested version are reported, but not judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bridge.conformance.explanation import explains
from bridge.conformance.runs import ABSENT, BROKE, LACKS, RAN, RunResult, Runs
from bridge.conformance.selection import Selection
from bridge.contract.ledger import Divergence, matches
from bridge.contract.versions import holds
from bridge.program.events import FirstDifference, first_difference

if TYPE_CHECKING:
    from bridge.contract import Clause, Contract
    from bridge.program import Program

PASS, FAIL, DIVERGES, NOT_APPLICABLE, UNTESTED = "pass", "fail", "diverges as listed", "not applicable", "untested"
#: The states of an outcome and of a cell; for a row of the ledger, ``pass`` means that it happened as described.
STATES: Final = (PASS, FAIL, DIVERGES, NOT_APPLICABLE, UNTESTED)
NO_REASON: Final = "skipped without a reason"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A judged run. ``row`` is the ledger row that explains the run, or that it contradicts."""

    ran: RunResult
    state: str
    reason: str = ""
    difference: FirstDifference | None = None
    row: str = ""

    @property
    def unjudged(self) -> bool:
        """Return whether the run differs, but on a PyTorch newer than any tested version."""
        return self.state == UNTESTED and (self.difference is not None or bool(self.row))


@dataclass(frozen=True, slots=True)
class Cell:
    """A clause on a runtime and device: ``passed`` of ``total`` executed runs passed, of ``proofs`` different programs."""

    clause: str
    runtime: str
    device: str
    state: str
    passed: int = 0
    total: int = 0
    proofs: int = 0
    required: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RowVerdict:
    """The verdict on a ledger row; ``seen`` counts its occurrences."""

    row: Divergence
    state: str
    seen: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a run.

    ``problems`` fail the suite besides cells and outcomes. ``note`` says that this PyTorch is newer than any tested version, and
    ``left_out`` which runtimes were not run and why; both are "" otherwise.
    """

    runs: Runs
    outcomes: tuple[Outcome, ...]
    cells: tuple[Cell, ...]
    rows: tuple[RowVerdict, ...]
    problems: tuple[str, ...]
    note: str = ""
    left_out: str = ""

    @property
    def passed(self) -> bool:
        """Return whether the suite passed."""
        return not (
            self.problems
            or any(item.state == FAIL for item in self.outcomes)
            or any(item.state == FAIL for item in self.cells)
            or any(item.state == FAIL for item in self.rows)
        )

    @property
    def single(self) -> Mapping[str, tuple[str, ...]]:
        """Return the must-clauses that a single program proves, each with the runtimes for which that holds."""
        found: dict[str, list[str]] = defaultdict(list)
        for cell in self.cells:
            if cell.required and cell.proofs == 1 and cell.runtime not in found[cell.clause]:
                found[cell.clause].append(cell.runtime)
        return {clause: tuple(runtimes) for clause, runtimes in found.items() if runtimes}


def judge(
    runs: Runs, contract: Contract, rows: Sequence[Divergence], selection: Selection, *, torch_version: str = ""
) -> Judgement:
    """Judge a run of the selected programs. ``torch_version`` is the version of the reference."""
    agreed = _agreed_programs(runs) if contract.newer(torch_version) else frozenset()
    outcomes = tuple(
        judge_run(ran, contract, rows, runs.versions[ran.runtime], torch_version, agreed=ran.program.name in agreed)
        for ran in runs.ran
    )
    cells = tuple(
        _judge_cell(
            contract[clause], name, device, outcomes, rows, torch_version, complete=clause in selection.complete
        )
        for clause in selection.clauses
        for name in runs.versions
        for device in runs.devices
    )
    verdicts = tuple(_judge_row(row, runs, outcomes, everything=selection.everything) for row in rows)
    problems = [] if any(item.ran.how not in (LACKS, ABSENT) for item in outcomes) else ["no program was executed"]
    problems += [f"{_name(item.ran)}: {NO_REASON}" for item in outcomes if _lacks_reason(item)]
    problems += _unused_variants(runs) if selection.everything else []
    unknown: dict[str, list[str]] = defaultdict(list)
    for program in runs.programs:
        for clause in program.clauses:
            if clause not in contract:
                unknown[clause].append(program.name)
    problems += [
        f"{clause} is not a clause of the contract, but is cited by {_shorten(names)}"
        for clause, names in unknown.items()
    ]
    return Judgement(runs, outcomes, cells, verdicts, tuple(problems), contract.untested(torch_version))


def judge_run(
    ran: RunResult,
    contract: Contract,
    rows: Sequence[Divergence],
    version: str,
    torch_version: str,
    *,
    agreed: bool = False,
) -> Outcome:
    """Judge one run on a runtime of this ``version``: compare its trace with the expected one, and look up the ledger.

    ``agreed`` says that PyTorch itself produced the expected trace in this run. On a PyTorch newer than any tested version, a
    difference of a runtime based on PyTorch is judged only if PyTorch agreed and no ledger row lists the program.
    """
    if (outcome := _without_comparison(ran, contract, torch_version)) is not None:
        return outcome
    assert ran.program.expect is not None
    difference = first_difference(ran.program.expect, ran.events)
    listed = [
        row
        for row in rows
        if row.applies(ran.runtime, version, ran.device) and row.lists(ran.program.name, ran.variant)
    ]

    def failed(reason: str) -> Outcome:
        row = listed[0].id if listed else ""
        if contract.newer(torch_version) and "PyTorch" in version and (listed or not agreed):
            newer = f"untested version: PyTorch {torch_version} is newer than {contract.tested}"
            return Outcome(ran, UNTESTED, newer, difference, row)
        return Outcome(ran, FAIL, reason, difference, row)

    if difference is None:
        return failed(f"{listed[0].id} lists it, but it no longer occurs") if listed else Outcome(ran, PASS)
    for row in listed:
        if explains(row, ran.program.expect, ran.events):
            return Outcome(ran, DIVERGES, row.title, difference, row.id)
    return failed(f"differs in another way than {listed[0].id} says" if listed else "differs from PyTorch")


def _without_comparison(ran: RunResult, contract: Contract, torch_version: str) -> Outcome | None:
    """Return the outcome of a run that has no trace, or none to compare it with; None for other runs."""
    if ran.how == LACKS:
        return Outcome(ran, NOT_APPLICABLE, ran.reason)
    if ran.how == ABSENT:
        return Outcome(ran, UNTESTED, ran.reason)
    if ran.how == BROKE:
        return Outcome(ran, FAIL, f"the runtime broke: {ran.reason}")
    for clause in ran.program.clauses:
        if clause in contract and (reason := _version_mismatch(contract[clause], torch_version)):
            return Outcome(ran, UNTESTED, f"{clause} {reason}")
    if reason := _version_mismatch(ran.program, torch_version):
        return Outcome(ran, UNTESTED, f"the program {reason}")
    if ran.program.expect is None:
        return Outcome(ran, FAIL, "this program was not accepted: it has no 'expect'")
    return None


def _judge_cell(
    clause: Clause,
    name: str,
    device: str,
    outcomes: Sequence[Outcome],
    rows: Sequence[Divergence],
    torch: str,
    *,
    complete: bool,
) -> Cell:
    mine = [
        item
        for item in outcomes
        if item.ran.runtime == name and item.ran.device == device and clause.id in item.ran.program.clauses
    ]
    by = defaultdict(list)
    for item in mine:
        by[item.state].append(item)
    passed, total = len(by[PASS]), len(by[PASS]) + len(by[FAIL]) + len(by[DIVERGES])
    proofs = len({item.ran.program.name for item in by[PASS]})
    required = name in clause.demanded and complete and not _version_mismatch(clause, torch)

    def cell(state: str, reason: str = "") -> Cell:
        return Cell(clause.id, name, device, state, passed, total, proofs, required, reason)

    if by[FAIL]:
        names = _shorten(sorted({item.ran.program.name for item in by[FAIL]}))
        return cell(FAIL, names)
    # A program that diverges by another clause's row proves nothing about this one, and excuses nothing.
    known = {row.id: row for row in rows}
    excused = [item for item in by[DIVERGES] if clause.id in known[item.row].clauses]
    if excused or (by[DIVERGES] and not passed and not required):
        return cell(DIVERGES, _shorten(sorted({item.row for item in excused or by[DIVERGES]})))
    if passed:
        return cell(PASS)
    if by[UNTESTED]:
        return cell(UNTESTED, _shorten(_reasons(by[UNTESTED])))
    if required:
        lacking = _shorten(_reasons(by[NOT_APPLICABLE]))
        return cell(FAIL, f"no passing program: {lacking}" if lacking else "no passing program")
    if by[NOT_APPLICABLE]:
        return cell(NOT_APPLICABLE, _shorten(_reasons(by[NOT_APPLICABLE])))
    if other := _version_mismatch(clause, torch):
        return cell(UNTESTED, other)
    if name not in clause.runtimes:
        return cell(NOT_APPLICABLE, clause.reason or f"the contract does not require it of {name}")
    return cell(UNTESTED, f"no program: the contract says '{clause.kind}'")


def _judge_row(row: Divergence, runs: Runs, outcomes: Sequence[Outcome], *, everything: bool) -> RowVerdict:
    if row.runtime not in runs.versions:
        return RowVerdict(row, UNTESTED, reason=f"{row.runtime} is not in this run")
    version = runs.versions[row.runtime]
    if not row.covers(version):
        return RowVerdict(row, UNTESTED, reason=f"it is about {row.about}, and this is {version}")
    if row.kind != "contract":
        return RowVerdict(row, UNTESTED, reason=f"shown by {row.test}" if row.test else "no program can show it")
    if row.shown_by and not row.programs:
        return RowVerdict(row, UNTESTED, reason=f"shown by hand alone, by {_shorten(row.shown_by)}")
    mine = [item for item in outcomes if item.row == row.id]
    seen = sum(item.state == DIVERGES for item in mine)
    if any(item.state == FAIL for item in mine):
        return RowVerdict(row, FAIL, seen, "it does not occur as described in everything that it lists")
    if unjudged := [item for item in mine if item.unjudged]:
        return RowVerdict(row, UNTESTED, seen, unjudged[0].reason)
    if everything and seen and (idle := _unmatched_patterns(row, outcomes)):
        return RowVerdict(row, FAIL, seen, f"it lists programs that were not run: {_shorten(idle)}")
    if seen:
        return RowVerdict(row, PASS, seen)
    listed = [
        item
        for item in outcomes
        if item.ran.runtime == row.runtime and row.lists(item.ran.program.name, item.ran.variant)
    ]
    if not everything and not listed:
        return RowVerdict(row, UNTESTED, reason="none of its programs is in this selection")
    absent = [item for item in listed if item.state in (UNTESTED, FAIL)]
    if absent or (listed and not any(_reached(row, item, version) for item in listed)):
        return RowVerdict(row, UNTESTED, reason="its programs did not run on its devices and variants")
    return RowVerdict(row, FAIL, reason="no program that it lists was run")


def _unmatched_patterns(row: Divergence, outcomes: Sequence[Outcome]) -> list[str]:
    """Return the row's patterns that matched no run."""
    ran = [item.ran for item in outcomes if item.ran.runtime == row.runtime and item.ran.how == RAN]
    return [
        pattern
        for pattern in row.programs
        if not any(matches(pattern, item.program.name, item.variant) for item in ran)
    ]


def _reached(row: Divergence, item: Outcome, version: str) -> bool:
    return row.applies(row.runtime, version, item.ran.device)


def _agreed_programs(runs: Runs) -> frozenset[str]:
    """Return the programs for which PyTorch itself produced the expected trace."""
    return frozenset(
        ran.program.name
        for ran in runs.ran
        if ran.runtime == "pytorch"
        and ran.how == RAN
        and first_difference(ran.program.expect or (), ran.events) is None
    )


def _version_mismatch(what: Clause | Program, torch: str) -> str:
    """Return why a clause or program does not apply to this PyTorch; "" if it does."""
    if not torch or holds(torch, what.since, what.until):
        return ""
    bounds = [f"from PyTorch {what.since}" if what.since else "", f"until PyTorch {what.until}" if what.until else ""]
    return f"holds {' '.join(filter(None, bounds))}, and this is {torch}"


def _unused_variants(runs: Runs) -> list[str]:
    """Return a problem for each variant of a runtime that ran no program."""
    seen = {(item.runtime, item.variant) for item in runs.ran if item.how == RAN}
    return [
        f"{name} ran no program in its variant {variant!r}"
        for name, variants in runs.variants.items()
        if any(found == name for found, _ in seen)
        for variant in variants
        if (name, variant) not in seen
    ]


def _lacks_reason(item: Outcome) -> bool:
    return item.state in (NOT_APPLICABLE, UNTESTED, DIVERGES) and not item.reason.strip()


def _name(ran: RunResult) -> str:
    return f"{ran.program.name} on {ran.runtime}{f' ({ran.variant})' if ran.variant else ''} {ran.device}"


def _reasons(outcomes: Sequence[Outcome]) -> list[str]:
    return sorted({item.reason for item in outcomes})


def _shorten(words: Sequence[str], limit: int = 3) -> str:
    more = f" and {len(words) - limit} more" if len(words) > limit else ""
    return "; ".join(words[:limit]) + more
