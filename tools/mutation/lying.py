"""Runtimes whose hooks are right and whose traces are false: each must fail the suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from hook_contract.program import Program
from hook_contract.runtimes.runtime import Events, Runtime

Traces = Mapping[str, Events]


@dataclass(frozen=True)
class Lying:
    """A runtime that runs programs on ``right`` and reports false traces.

    ``lacks`` are the features that it claims not to support, ``more`` the additional devices that it claims. ``where`` maps the device
    that it is asked for to the one that it uses.
    """

    about: str
    right: Runtime
    reported: Callable[[Traces], Traces]
    lacks: Mapping[str, str]
    variants: tuple[str, ...] = ("",)
    more: tuple[str, ...] = ()
    where: Callable[[str], str] = str

    @property
    def name(self) -> str:
        return self.right.name

    @property
    def devices(self) -> tuple[str, ...]:
        return (*self.right.devices, *self.more)

    def version(self) -> str:
        return self.right.version()

    def run(self, program: Program, device: str = "cpu") -> Traces:
        return self.reported(self.right.run(program, self.where(device)))


def _each(change: Callable[[Events], Events]) -> Callable[[Traces], Traces]:
    return lambda traces: {variant: change(events) for variant, events in traces.items()}


def _swapped(events: Events) -> Events:
    """Swap the last two neighbors that differ."""
    for place in range(len(events) - 1, 0, -1):
        if events[place] != events[place - 1]:
            return [*events[: place - 1], events[place], events[place - 1], *events[place + 1 :]]
    return events


#: The false traces, by what is wrong with them.
LIES: Final[Mapping[str, Callable[[Traces], Traces]]] = {
    "empty traces": _each(lambda events: []),
    "traces that are cut off": _each(lambda events: events[:-1]),
    "events in another order": _each(_swapped),
    "events that it made up": _each(lambda events: [*events, {"event": "return", "value": None}]),
    "no trace at all": lambda traces: {},
}


def liars(right: Runtime) -> list[Lying]:
    """Return false runtimes: false traces, a variant that never runs, and a runtime that supports no program."""
    reported = [Lying(about, right, lie, right.lacks, right.variants) for about, lie in LIES.items()]
    unseen = Lying("a variant that it never runs", right, dict, right.lacks, (*right.variants, "unseen"))
    idle = Lying(
        "nothing that it can run, and no reason", right, dict, {f"node:{kind}": "" for kind in _KINDS}, right.variants
    )
    return [*reported, unseen, idle]


def elsewhere(right: Runtime) -> Lying:
    """Return a runtime that uses the CPU for every device. ``meta`` is a device of every machine."""
    return Lying("the device", right, dict, right.lacks, right.variants, more=("meta",), where=lambda device: "cpu")


_KINDS = (
    "leaf", "identity", "inputs", "give", "keyword", "raise", "sequence", "parallel", "recurse", "swallow", "register", "detach", "opaque",
    "sequential", "modulelist", "attention", "encoder",
)  # fmt: skip
