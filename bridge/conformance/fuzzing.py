"""Random programs on several runtimes: all that can run one must agree with PyTorch, or the ledger must say why."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, seed, settings

from bridge.conformance.generating import programs
from bridge.conformance.ledger import Divergence, explaining
from bridge.program import Program
from bridge.runtimes.programs.runtime import Events, Runtime, missing, runtime


class Difference(AssertionError):
    """A runtime did not do as PyTorch does; the message names the program's first event that differs."""


@dataclass
class Score:
    """What a run of random programs came to."""

    programs: int = 0
    events: int = 0
    runs: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    failure: Program | None = None
    difference: str = ""

    def lines(self) -> Iterator[str]:
        """The score as text."""
        for name, count in sorted(self.runs.items()):
            yield f"  {name}: {count:,} traces compared"
        for name, count in sorted(self.explained.items()):
            yield f"  explained by {name}: {count:,}"
        yield (
            f"{self.programs:,} programs, {self.events:,} events in PyTorch, {self.runs.total():,} traces compared, "
            f"{self.explained.total():,} differences that the ledger explains, {self.seconds:.1f} s"
        )


def fuzz(
    count: int,
    number: int,
    others: Sequence[Runtime],
    rows: Sequence[Divergence],
    progress: Callable[[int], None] = lambda done: None,
) -> Score:
    """Runs ``count`` random programs made from the seed ``number``; a failure is shrunk and stands in the score.

    ``rows`` are those of the ledger, which may explain a difference.
    """
    reference = runtime("pytorch")
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
        expected = reference.run(program)[""]
        if not shrinking:
            score.programs += 1
            score.events += len(expected)
            progress(score.programs)
        for other in others:
            if missing(other, program) is not None:
                continue
            for variant, events in other.run(program).items():
                score.runs[f"{other.name} {variant}".strip()] += not shrinking
                if events == expected:
                    continue
                row = explaining(
                    rows, expected, events, runtime=other.name, version=versions[other.name], variant=variant
                )
                if row is not None:
                    score.explained[row.id] += not shrinking
                    continue
                shrinking = True
                score.failure = program
                score.difference = first_difference(f"{other.name} {variant}".strip(), expected, events)
                raise Difference(score.difference)

    with suppress(Difference):
        check()
    score.seconds = time.perf_counter() - begun
    return score


def first_difference(name: str, expected: Events, events: Events) -> str:
    """The first event that differs, in words."""
    for number, (wanted, got) in enumerate(zip(expected, events, strict=False)):
        if wanted != got:
            return f"event {number}\n  pytorch: {wanted}\n  {name}: {got}"
    number = min(len(expected), len(events))
    if len(events) > number:
        return f"event {number}\n  pytorch: nothing more\n  {name}: {events[number]}"
    return f"event {number}\n  pytorch: {expected[number]}\n  {name}: nothing more"
