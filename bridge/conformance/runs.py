"""Runs programs on runtimes: the trace that each left, or why it was not run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bridge.clr import AssembliesNotFound, DotNetNotFound, StartError
from bridge.clr import start as start_dotnet
from bridge.program import Program
from bridge.program.events import Event
from bridge.runtimes.runtime import NEED_DOTNET, NEED_TORCHSHARP, RUNTIMES, Runtime, missing, runtime
from bridge.runtimes.torchsharp import process
from bridge.torchsharp.process.errors import HostError

#: How one program fared: it ran; the runtime lacks a word of it; the machine lacks what it needs; the runtime itself broke.
RAN, LACKS, ABSENT, BROKE = "ran", "lacks", "absent", "broke"
NO_VARIANT: Final = "the runtime gave neither a trace nor a reason"


@dataclass(frozen=True, slots=True)
class Ran:
    """One program on one runtime, variant and device. ``events`` is its trace; ``reason`` says why there is none."""

    program: Program
    runtime: str
    device: str
    variant: str = ""
    how: str = RAN
    events: tuple[Event, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Runs:
    """A complete run: the runtimes with their versions, the devices, the programs, what was left of each, and the runtimes' variants."""

    versions: Mapping[str, str]
    devices: tuple[str, ...]
    programs: tuple[Program, ...]
    ran: tuple[Ran, ...]
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Hold the names of the runtimes to run. ``note`` says in one line which were left out and why; "" when none was."""

    names: tuple[str, ...]
    note: str = ""


def choose(names: Sequence[str] = (), among: Sequence[str] = tuple(RUNTIMES)) -> Chosen:
    """Return the runtimes of ``names``, or without any those of ``among`` that can run here.

    Where .NET is missing or does not start, these are the ones that need none; where TorchSharp is, those that need none of it.
    """
    if names:
        return Chosen(tuple(names))
    for needing, what, begin in (
        (NEED_DOTNET, "which need .NET", start_dotnet),
        (NEED_TORCHSHARP, "which need TorchSharp", process.title),
    ):
        left_out = [name for name in among if name in needing]
        if not left_out:
            break
        try:
            begin()
        except (DotNetNotFound, AssembliesNotFound, StartError, HostError) as error:
            reason = str(error).partition("\n")[0].partition(". Looked at")[0].rstrip(".")
            kept = tuple(name for name in among if name not in needing)
            return Chosen(kept, f"Left out: {', '.join(left_out)}, {what}: {reason}.")
    return Chosen(tuple(among))


def start(names: Sequence[str]) -> list[Runtime]:
    """The runtimes of those names. Raises KeyError for an unknown one, and what its start raises."""
    return [runtime(name) for name in names]


def run(
    runtimes: Sequence[Runtime],
    programs: Sequence[Program],
    devices: Sequence[str] = ("cpu",),
    step: Callable[[str, int], None] = lambda words, done: None,
) -> Runs:
    """Every program on every runtime and device. ``step`` is called with what runs and how many runs are done."""
    # First: what a runtime needs and lacks is said once, and not of each program.
    versions = {one.name: one.version() for one in runtimes}
    ran: list[Ran] = []
    done = 0
    for one in runtimes:
        for device in devices:
            for program in programs:
                step(f"{one.name} {device} {program.name}", done)
                ran += run_program(one, program, device)
                done += 1
    variants = {one.name: one.variants for one in runtimes}
    return Runs(versions, tuple(devices), tuple(programs), tuple(ran), variants)


def run_program(runtime: Runtime, program: Program, device: str = "cpu") -> Iterator[Ran]:
    """One program on one runtime, by variant."""
    lacks = missing(runtime, program)
    if lacks is not None:
        yield Ran(program, runtime.name, device, how=LACKS, reason=lacks)
        return
    if device not in runtime.devices:
        yield Ran(program, runtime.name, device, how=ABSENT, reason=f"{runtime.name} has no device {device} here")
        return
    try:
        traces = runtime.run(program, device)
    except Exception as error:
        # What the program raises is part of its trace, so this is a defect of the runtime: reported, and the next program runs.
        yield Ran(program, runtime.name, device, how=BROKE, reason=f"{type(error).__name__}: {error}")
        return
    if not traces:
        yield Ran(program, runtime.name, device, how=BROKE, reason=NO_VARIANT)
    for variant, events in traces.items():
        yield Ran(program, runtime.name, device, variant, events=name_device(events, device))


def name_device(events: Iterable[Event], device: str) -> tuple[Event, ...]:
    """A trace in which a device that was read is named by the one that the runtime was asked for: ``name_device`` is that one.

    A program expects this word, and no runtime can say it for itself.
    """
    return tuple(_asked(event, device) for event in events)


def _asked(event: Event, device: str) -> Event:
    match event:
        case {"event": "thread", "events": [*inner]}:
            return {**event, "events": list(name_device(inner, device))}
        case {"event": "read", "what": "device", "value": {"text": found}}:
            text = "asked" if found == device else f"{found}, where {device} was asked for"
            return {**event, "value": {"text": text}}
    return event
