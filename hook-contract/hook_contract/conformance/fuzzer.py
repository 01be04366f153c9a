"""Random hook programs. Each runtime must produce the reference's trace or a known divergence (a row of a ledger)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis.errors import Flaky

from hook_contract.conformance.errors import TraceDiffersError
from hook_contract.conformance.explanation import find_row
from hook_contract.conformance.runs import ABSENT, BROKE, LACKS, RunResult, name_device, run_program
from hook_contract.contract.ledger import Divergence
from hook_contract.program import Json, Program
from hook_contract.program.events import Event, first_difference
from hook_contract.program.generate import programs
from hook_contract.runtimes.errors import ProgramEnded
from hook_contract.runtimes.interpreter import Session, run
from hook_contract.runtimes.runtime import Runtime, unsupported_reason
from hook_contract.runtimes.world import World


@dataclass
class Score:
    """The result of a run of random programs.

    Attributes:
        programs: The number of programs, without those that only shrink a failure.
        events: The number of events in the reference's traces.
        runs: The numbers of runs, by runtime and variant.
        explained: The numbers of differences that a ledger row explains, by the row's id.
        failure: The shrunk program with an unexplained difference, None if there is none.
        difference: The first difference of ``failure``.
    """

    programs: int = 0
    events: int = 0
    runs: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    failure: Program | None = None
    difference: str = ""

    def lines(self) -> Iterator[str]:
        for name, count in sorted(self.runs.items()):
            yield f"  {name}: {count:,} traces compared"
        for name, count in sorted(self.explained.items()):
            yield f"  explained by {name}: {count:,}"
        yield (
            f"{self.programs:,} program{'' if self.programs == 1 else 's'}, {self.events:,} events in the reference, "
            f"{self.runs.total():,} traces compared, {self.explained.total():,} differences that the ledger explains, {self.seconds:.1f} s"
        )


def fuzz(
    count: int,
    number: int,
    others: Sequence[Runtime],
    rows: Sequence[Divergence],
    progress: Callable[[int], None] = lambda done: None,
    device: str = "cpu",
    *,
    reference: Runtime,
    world: Callable[[], World],
) -> Score:
    """Run ``count`` random programs made from the seed ``number``. The first failure is shrunk and stored in the score.

    ``rows`` are the rows of the ledgers. ``world`` makes the module library on which a failing program is simplified, which must behave as
    ``reference`` does. Runtimes that lack this ``device``, or a construct of a program, are skipped.
    """
    versions = {other.name: other.version() for other in others}
    score = Score()
    begun = time.perf_counter()
    shrinking = False

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(programs())
    def check(program: Program) -> None:
        nonlocal shrinking
        assume(unsupported_reason(reference, program) is None)
        expected = name_device(reference.run(program, device)[""], device)
        if not shrinking:
            score.programs += 1
            score.events += len(expected)
            progress(score.programs)
        for ran in _run_all(others, program, device):
            name = f"{ran.runtime} {ran.variant}".strip()
            score.runs[name] += not shrinking
            difference, row = _difference(ran, expected, rows, versions[ran.runtime])
            if row:
                score.explained[row] += not shrinking
            elif difference:
                shrinking = True
                score.failure, score.difference = program, f"{name}: {difference}"
                raise TraceDiffersError(score.difference)

    try:
        check()
    except Flaky:  # Hypothesis raises it, with the TraceDiffersError inside, if the failure did not occur again
        if score.failure is None:
            raise
        score.difference += " (not every time)"
    except TraceDiffersError:
        pass  # check() has stored the failure in the score
    if score.failure is not None:
        score.failure = without_try(score.failure, world)
    score.seconds = time.perf_counter() - begun
    return score


def _run_all(runtimes: Sequence[Runtime], program: Program, device: str) -> Iterator[RunResult]:
    """Run a program on each runtime that supports the program and has the device, and yield the results."""
    for tested in runtimes:
        for ran in run_program(tested, program, device):
            if ran.how not in (LACKS, ABSENT):
                yield ran


def _difference(ran: RunResult, expected: Sequence[Event], rows: Sequence[Divergence], version: str) -> tuple[str, str]:
    """Return the difference of a run from the reference's trace, and the id of the ledger row that explains it. Either may be ""."""
    if ran.how == BROKE:
        return ran.reason, ""
    difference = first_difference(expected, ran.events)
    if difference is None:
        return "", ""
    row = find_row(
        rows, expected, ran.events, runtime=ran.runtime, version=version, variant=ran.variant, device=ran.device
    )
    return str(difference), "" if row is None else row.id


def without_try(program: Program, world: Callable[[], World]) -> Program:
    """Return a program with the same trace but without ``try`` steps, or the program itself if the trace would change."""
    session = _TryRecorder(program, world())
    trace = session.trace()
    found = replace(program, steps=tuple(_replace_try(program.steps, session.ends)))
    return found if run(found, world()) == trace else program


class _TryRecorder(Session):
    """A session that records, by ``try`` step, which inner step raised (its index) and the class name of the exception."""

    def __init__(self, program: Program, world: World) -> None:
        super().__init__(program, world)
        self.ends: dict[int, tuple[int, str]] = {}

    def do_try(self, step: Mapping[str, Json]) -> None:
        for index, inner in enumerate(step["steps"]):
            try:
                self.steps([inner])
            except ProgramEnded:
                self.ends[id(step)] = index, self.thread_state.events[-1]["error"]
                return


def _replace_try(steps: Iterable[Mapping[str, Json]], ends: Mapping[int, tuple[int, str]]) -> list[Mapping[str, Json]]:
    """Replace each ``try`` step by its inner steps that ran. If the last of these raised, it gets ``raises``."""
    found: list[Mapping[str, Json]] = []
    for step in steps:
        inner = _replace_try(step.get("steps", ()), ends)
        if step["do"] != "try":
            found.append({**step, "steps": inner} if inner else step)
        elif id(step) not in ends:
            found += inner
        else:
            index, error = ends[id(step)]
            before = _replace_try(step["steps"][:index], ends)
            (last,) = _replace_try(step["steps"][index : index + 1], ends)
            found += [*before, {**last, "raises": error}]
    return found
