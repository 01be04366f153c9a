"""A random program in the form of the corpus: without ``try``, each step saying what it raises in PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bridge.program import Json, Program
from bridge.runtimes.interpreter import Ended, Session, run
from bridge.runtimes.pytorch.world import TorchWorld
from bridge.runtimes.world import World


def without_try(program: Program) -> Program:
    """The program that leaves the same trace without ``try``; the program itself where there is none."""
    session = _Noting(program, TorchWorld())
    trace = session.trace()
    found = replace(program, steps=tuple(_steps(program.steps, session.ends)))
    return found if run(found, TorchWorld()) == trace else program


class _Noting(Session):
    """Notes of each ``try`` at which of its steps it ended, and by which exception."""

    def __init__(self, program: Program, world: World) -> None:
        super().__init__(program, world)
        self.ends: dict[int, tuple[int, str]] = {}

    def do_try(self, step: Mapping[str, Json]) -> None:
        for place, inner in enumerate(step["steps"]):
            try:
                self.steps([inner])
            except Ended:
                self.ends[id(step)] = place, self.mine.events[-1]["error"]
                return


def _steps(steps: Iterable[Mapping[str, Json]], ends: Mapping[int, tuple[int, str]]) -> list[Mapping[str, Json]]:
    found: list[Mapping[str, Json]] = []
    for step in steps:
        inner = _steps(step.get("steps", ()), ends)
        if step["do"] != "try":
            found.append({**step, "steps": inner} if inner else step)
        elif id(step) not in ends:
            found += inner
        else:
            place, error = ends[id(step)]
            before, (last,) = (_steps(step["steps"][part], ends) for part in (slice(place), slice(place, place + 1)))
            found += [*before, {**last, "raises": error}]
    return found
