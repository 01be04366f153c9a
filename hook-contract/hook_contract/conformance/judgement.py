"""The verdict on the conformance suite: each trace is compared with the expected trace, then the clauses are judged.

The suite fails if

- a must-clause that applies to this PyTorch has no passing run on a runtime that it lists. This does not count if a filter left out one
  of the clause's programs, if one of its runs on the runtime is untested, or if a ledger row explains one of its runs there;
- a difference is not in the ledger of known divergences, or a difference in the ledger does not occur;
- a runtime raised an error, a runtime returned no trace, or a program has no expected trace;
- no program was executed, a program cites an unknown clause, or a skipped run has no reason;
- in a run without filters, a variant of a runtime ran no program, although another variant of the runtime did, or a ledger row whose
  difference occurs also lists programs that were not run.

See :func:`judge_run` for the runs that are not judged on a PyTorch newer than any tested version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from hook_contract.conformance.explanation import explains
from hook_contract.conformance.runs import ABSENT, BROKE, LACKS, RAN, RunResult, Runs
from hook_contract.conformance.selection import Selection
from hook_contract.contract.clause import MUST
from hook_contract.contract.ledger import Divergence, matches
from hook_contract.contract.versions import holds
from hook_contract.output.sentences import join_some
from hook_contract.program.events import FirstDifference, first_difference

if TYPE_CHECKING:
    from hook_contract.contract import Clause, Contract
    from hook_contract.program import Program

PASS, FAIL, ERROR, DIVERGES = "pass", "fail", "error", "diverges as listed"
NOT_APPLICABLE, UNTESTED = "not applicable", "untested"
#: The states of outcomes, cells and ledger rows. ``error`` is a fault of the adapter that connects a runtime: it says nothing about the
#: runtime's hooks. For a ledger row, ``pass`` means that the divergence occurred as described.
STATES: Final = (PASS, FAIL, ERROR, DIVERGES, NOT_APPLICABLE, UNTESTED)
NO_REASON: Final = "skipped without a reason"
_join: Final = partial(join_some, limit=3, separator="; ")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A judged run. ``row`` is the id of the ledger row that explains the run or that the run contradicts, "" if there is none."""

    ran: RunResult
    state: str
    reason: str = ""
    difference: FirstDifference | None = None
    row: str = ""

    @property
    def unjudged(self) -> bool:
        """Return whether the run would fail, but is not judged since PyTorch is newer than any tested version."""
        return self.state == UNTESTED and (self.difference is not None or bool(self.row))


@dataclass(frozen=True, slots=True)
class Cell:
    """The verdict on a clause for a runtime and device.

    Attributes:
        state: One of :data:`STATES`.
        passed: The number of runs that passed.
        total: The number of runs whose state is ``pass``, ``fail`` or ``diverges as listed``.
        proofs: The number of programs with a run that passed.
        required: Whether the clause needs a passing program on each runtime that supports one of its programs.
        reason: Why the state is not ``pass``.
    """

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
    """The verdict on a ledger row. ``seen`` counts the runs that the row explains."""

    row: Divergence
    state: str
    seen: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on the suite.

    Attributes:
        outcomes: The judged runs.
        problems: The reasons why the suite fails, besides failed outcomes, cells and rows.
        note: A sentence saying that PyTorch is newer than any tested version, "" if it is not.
        left_out: A sentence saying which runtimes were left out and why, "" if none was.
        pytorch: The version of PyTorch whose behavior was expected, "" if it is unknown.
    """

    runs: Runs
    outcomes: tuple[Outcome, ...]
    cells: tuple[Cell, ...]
    rows: tuple[RowVerdict, ...]
    problems: tuple[str, ...]
    note: str = ""
    left_out: str = ""
    pytorch: str = ""

    @property
    def failed(self) -> bool:
        """Return whether a runtime does not conform, or the suite has a problem. Errors of adapters do not count."""
        found: Iterable[Outcome | Cell | RowVerdict] = (*self.outcomes, *self.cells, *self.rows)
        return bool(self.problems) or any(item.state == FAIL for item in found)

    @property
    def passed(self) -> bool:
        """Return whether every runtime conforms, and no adapter failed."""
        return not self.failed and not any(item.state == ERROR for item in self.outcomes)

    @property
    def single(self) -> Mapping[str, tuple[str, ...]]:
        """Return, by MUST clause, the runtimes on which the clause has only one passing program. Other clauses are omitted."""
        found: dict[str, list[str]] = defaultdict(list)
        for cell in self.cells:
            if cell.required and cell.proofs == 1 and cell.runtime not in found[cell.clause]:
                found[cell.clause].append(cell.runtime)
        return {clause: tuple(runtimes) for clause, runtimes in found.items() if runtimes}


def judge(
    runs: Runs, contract: Contract, rows: Sequence[Divergence], selection: Selection, *, torch_version: str = ""
) -> Judgement:
    """Judge the runs of the selected programs. ``torch_version`` is the version of PyTorch, or "" without PyTorch."""
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
        f"{clause} is not a clause of the contract, but is cited by {_join(names)}" for clause, names in unknown.items()
    ]
    return Judgement(
        runs, outcomes, cells, verdicts, tuple(problems), contract.untested(torch_version), pytorch=torch_version
    )


def judge_run(
    ran: RunResult,
    contract: Contract,
    rows: Sequence[Divergence],
    version: str,
    torch_version: str,
    *,
    agreed: bool = False,
) -> Outcome:
    """Judge one run on a runtime of this ``version``: compare its trace with the expected trace, and look up the ledger.

    ``agreed`` says whether the runtime ``pytorch`` produced the expected trace of the program. If PyTorch is newer than any tested version,
    a failure of a runtime that uses PyTorch (a wrong trace, or a trace without the difference that a ledger row lists) is ``untested``, not
    ``fail``, unless ``agreed`` is True and no ledger row lists the program.
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
        return failed(f"the difference that {listed[0].id} lists no longer occurs") if listed else Outcome(ran, PASS)
    for row in listed:
        if explains(row, ran.program.expect, ran.events):
            return Outcome(ran, DIVERGES, row.title, difference, row.id)
    return failed(f"differs in another way than {listed[0].id} says" if listed else "differs from PyTorch")


def _without_comparison(ran: RunResult, contract: Contract, torch_version: str) -> Outcome | None:
    """Return the outcome of a run that is judged without comparing traces. Returns None for other runs."""
    if ran.how == LACKS:
        return Outcome(ran, NOT_APPLICABLE, ran.reason)
    if ran.how == ABSENT:
        return Outcome(ran, UNTESTED, ran.reason)
    if ran.how == BROKE:
        return Outcome(ran, ERROR, ran.reason)
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
    by: dict[str, list[Outcome]] = defaultdict(list)
    for item in outcomes:
        if item.ran.runtime == name and item.ran.device == device and clause.id in item.ran.program.clauses:
            by[item.state].append(item)
    passed, total = len(by[PASS]), len(by[PASS]) + len(by[FAIL]) + len(by[DIVERGES])
    proofs = len({item.ran.program.name for item in by[PASS]})
    required = clause.level == MUST and complete and not _version_mismatch(clause, torch)
    state, reason = _executed_state(clause, by, rows, required=required) or _unexecuted_state(
        clause, by, torch, required=required
    )
    return Cell(clause.id, name, device, state, passed, total, proofs, required, reason)


def _executed_state(
    clause: Clause, by: Mapping[str, Sequence[Outcome]], rows: Sequence[Divergence], *, required: bool
) -> tuple[str, str] | None:
    """Return the state and the reason of a cell if its executed runs determine them, else None.

    ``by`` has the outcomes by state.
    """
    for state in (FAIL, ERROR):
        if by[state]:
            return state, _join(sorted({item.ran.program.name for item in by[state]}))
    # A known divergence excuses the lack of a passing run. For a required clause, the ledger row must name the clause.
    known = {row.id: row for row in rows}
    excused = [item for item in by[DIVERGES] if clause.id in known[item.row].clauses]
    if excused or (by[DIVERGES] and not by[PASS] and not required):
        return DIVERGES, _join(sorted({item.row for item in excused or by[DIVERGES]}))
    return (PASS, "") if by[PASS] else None


def _unexecuted_state(
    clause: Clause, by: Mapping[str, Sequence[Outcome]], torch: str, *, required: bool
) -> tuple[str, str]:
    """Return the state and the reason of a cell for which :func:`_executed_state` returns None."""
    if by[UNTESTED]:
        return UNTESTED, _join(_reasons(by[UNTESTED]))
    if by[NOT_APPLICABLE] and not by[DIVERGES]:
        return NOT_APPLICABLE, _join(_reasons(by[NOT_APPLICABLE]))
    if required:
        rows = _join(sorted({item.row for item in by[DIVERGES]}))
        return FAIL, f"no passing program, and {rows} does not name the clause" if rows else "no program tests it"
    if other := _version_mismatch(clause, torch):
        return UNTESTED, other
    return UNTESTED, f"no program tests it, and none is needed: its level is {clause.level}"


def _judge_row(row: Divergence, runs: Runs, outcomes: Sequence[Outcome], *, everything: bool) -> RowVerdict:
    if reason := _row_mismatch(row, runs):
        return RowVerdict(row, UNTESTED, reason=reason)
    mine = [item for item in outcomes if item.row == row.id]
    seen = sum(item.state == DIVERGES for item in mine)
    if any(item.state == FAIL for item in mine):
        return RowVerdict(row, FAIL, seen, "does not occur as described in some of the programs that it lists")
    if unjudged := [item for item in mine if item.unjudged]:
        return RowVerdict(row, UNTESTED, seen, unjudged[0].reason)
    if everything and seen and (idle := _unmatched_patterns(row, outcomes)):
        return RowVerdict(row, FAIL, seen, f"it lists programs that were not run: {_join(idle)}")
    if seen:
        return RowVerdict(row, PASS, seen)
    return _judge_unseen_row(row, runs.versions[row.runtime], outcomes, everything=everything)


def _row_mismatch(row: Divergence, runs: Runs) -> str:
    """Return why these runs cannot show the divergence of a ledger row, or "" if they can."""
    if row.runtime not in runs.versions:
        return f"{row.runtime} is not in this run"
    version = runs.versions[row.runtime]
    if not row.covers(version):
        return f"it is about {row.about}, and this is {version}"
    if row.kind != "contract":
        return f"shown by {row.test}" if row.test else "no program can show it"
    if row.shown_by and not row.programs:
        return f"shown only by programs that were run by hand: {_join(row.shown_by)}"
    return ""


def _judge_unseen_row(row: Divergence, version: str, outcomes: Sequence[Outcome], *, everything: bool) -> RowVerdict:
    listed = [
        item
        for item in outcomes
        if item.ran.runtime == row.runtime and row.lists(item.ran.program.name, item.ran.variant)
    ]
    if not everything and not listed:
        return RowVerdict(row, UNTESTED, reason="none of its programs is in this selection")
    absent = [item for item in listed if item.state in (UNTESTED, FAIL, ERROR)]
    if absent or (listed and not any(row.applies(row.runtime, version, item.ran.device) for item in listed)):
        return RowVerdict(row, UNTESTED, reason="a run of its programs was not made or could not be judged")
    return RowVerdict(row, FAIL, reason="no run shows its difference")


def _unmatched_patterns(row: Divergence, outcomes: Sequence[Outcome]) -> list[str]:
    ran = [item.ran for item in outcomes if item.ran.runtime == row.runtime and item.ran.how == RAN]
    return [
        pattern
        for pattern in row.programs
        if not any(matches(pattern, item.program.name, item.variant) for item in ran)
    ]


def _agreed_programs(runs: Runs) -> frozenset[str]:
    """Return the names of the programs for which the runtime ``pytorch`` produced the expected trace."""
    return frozenset(
        ran.program.name
        for ran in runs.ran
        if ran.runtime == "pytorch"
        and ran.how == RAN
        and first_difference(ran.program.expect or (), ran.events) is None
    )


def _version_mismatch(what: Clause | Program, torch: str) -> str:
    """Return why a clause or program does not apply to the PyTorch version ``torch``, or "" if it applies."""
    if not torch or holds(torch, what.since, what.until):
        return ""
    bounds = [f"from PyTorch {what.since}" if what.since else "", f"until PyTorch {what.until}" if what.until else ""]
    return f"holds {' '.join(filter(None, bounds))}, and this is {torch}"


def _unused_variants(runs: Runs) -> list[str]:
    """Return a problem for each variant that ran no program, if another variant of the same runtime ran one."""
    seen = {(item.runtime, item.variant) for item in runs.ran if item.how == RAN}
    return [
        f"{name} ran no program in its variant {variant!r}"
        for name, variants in runs.variants.items()
        if any(found == name for found, _ in seen)
        for variant in variants
        if (name, variant) not in seen
    ]


def _lacks_reason(item: Outcome) -> bool:
    return item.state in (ERROR, NOT_APPLICABLE, UNTESTED, DIVERGES) and not item.reason.strip()


def _name(ran: RunResult) -> str:
    return f"{ran.program.name} on {ran.runtime}{f' ({ran.variant})' if ran.variant else ''} {ran.device}"


def _reasons(outcomes: Sequence[Outcome]) -> list[str]:
    return sorted({item.reason for item in outcomes})
