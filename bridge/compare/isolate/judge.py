"""Every module of a C# port judged by itself, on what its PyTorch counterpart received."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import torch

from bridge.compare.isolate.call_judge import Fault, Judge
from bridge.compare.isolate.measures import Tolerances
from bridge.compare.isolate.record import Call, Capture, captured
from bridge.compare.isolate.state_guard import set_buffers, untouched
from bridge.compare.models.settings import Setting
from bridge.torchsharp.process.remote_module import RemoteModule

#: Bytes of copies that are held at a time.
BUDGET: Final = 1 << 30


@dataclass(frozen=True, slots=True, eq=False)
class Alone:
    """What came of it: the faults in the order of the run, each of one module by itself; ``judged`` are the paths of those that
    were, ``raised`` those that raised, and ``refused`` says by path why others were not. ``orders`` are the places of the leaves of
    PyTorch's arguments and results, by path and phase, in the order of C#'s keys, where that is another one."""

    faults: tuple[Fault, ...]
    judged: frozenset[str]
    refused: Mapping[str, str]
    rounds: int
    orders: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    raised: frozenset[str] = frozenset()

    @property
    def lines(self) -> list[str]:
        """What to say of those that were not judged."""
        return [f"{path or 'the root'} was not judged alone: {why}." for path, why in self.refused.items()]


def alone(
    python: torch.nn.Module,
    dotnet: torch.nn.Module,
    arguments: Mapping[str, Any],
    buffers: Mapping[str, torch.Tensor],
    *,
    settings: Sequence[Setting],
    names: tuple[str, str],
    tolerances: Tolerances,
    seed: int = 0,
    backward: bool = False,
    budget: int = BUDGET,
    everywhere: bool = False,
    only: Collection[str] | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> Alone:
    """Judges each module of ``dotnet`` by itself.

    ``arguments`` are those of the run of ``python``, ``buffers`` its buffers before it. PyTorch's model is run again for them, as often as
    ``budget`` demands. Operators are recorded where something differs, with ``everywhere`` in each module that is no built-in.
    With ``only`` those at these paths are judged, and only of what holds their results something is said. Both models are left as they were
    found.
    """
    if isinstance(dotnet, RemoteModule):
        return Alone((), frozenset(), {"": "TorchSharp runs in a process of its own"}, 0)
    with untouched(python, dotnet):
        judge = Judge(python, dotnet, settings, names, tolerances, backward, everywhere)
        rounds = 0
        plan: list[set[int]] = []
        # What another round would capture was judged: once.
        while True:
            set_buffers(python, buffers)
            wanted = None if not rounds else plan[rounds - 1]
            step("judging each module alone" if not rounds else f"judging each module alone, part {rounds}")
            run = captured(python, arguments, seed=seed, flow=backward, wanted=wanted, budget=budget)
            if not rounds:
                plan = _plan(_units(run, only), judge, budget) if run.full else []
            if wanted is not None or not run.full:
                for call in _units(run, only):
                    if wanted is None or all(one.number in wanted for one in (call, *call.children)):
                        judge.judge(call)
            rounds += 1
            if rounds > len(plan):
                break
        judge.unseen(run)
    if only is not None:
        structure = [fault for fault in judge.found() if fault.kind == "structure"]
        return Alone(tuple(structure), judge.judged, {}, rounds, judge.orders)
    return Alone(tuple(judge.found()), judge.judged, judge.refused, rounds, judge.orders, frozenset(judge.raised))


def _units(run: Capture, only: Collection[str] | None) -> list[Call]:
    """The calls to judge, in the order in which they ended."""
    return [call for call in _ended(run.calls) if only is None or call.path in only]


def _ended(calls: Sequence[Call]) -> list[Call]:
    """Inner calls before those around them."""
    found: list[Call] = []

    def visit(call: Call) -> None:
        for child in call.children:
            visit(child)
        found.append(call)

    for call in calls:
        if call.parent is None:
            visit(call)
    return found


def _plan(units: Sequence[Call], judge: Judge, budget: int) -> list[set[int]]:
    """Numbers of calls for each further round: those of as many units as fit."""
    plan: list[set[int]] = []
    taken = 0
    for call in units:
        needed = {call.number: call.bytes, **{child.number: child.bytes for child in call.children}}
        if sum(needed.values()) > budget:
            judge.refuse(
                call.path,
                f"its values take {sum(needed.values()) / 1e9:.1f} GB, more than the {budget / 1e9:.1f} GB set for it",
            )
            continue
        more = sum(size for number, size in needed.items() if not plan or number not in plan[-1])
        if not plan or taken + more > budget:
            plan.append(set())
            taken, more = 0, sum(needed.values())
        plan[-1] |= needed.keys()
        taken += more
    return plan
