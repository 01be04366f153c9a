"""Runs of programs on runtimes. A run has a trace, or a reason why it has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hook_contract.program import Program
from hook_contract.program.events import Event
from hook_contract.runtimes.errors import AdapterError
from hook_contract.runtimes.runtime import Runtime, unsupported_reason

#: The values of :attr:`RunResult.how`:
#:
#: - RAN: the runtime gave a trace.
#: - LACKS: the runtime does not support a construct of the program.
#: - ABSENT: the runtime does not have the device on this machine.
#: - BROKE: the runtime raised, or returned no trace.
RAN, LACKS, ABSENT, BROKE = "ran", "lacks", "absent", "broke"
NO_VARIANT: Final = "the runtime gave neither a trace nor a reason"


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run of a program on a runtime, in one of the runtime's variants (ways to run a program), and on a device.

    Attributes:
        how: RAN, LACKS, ABSENT or BROKE.
        events: The trace, if ``how`` is RAN.
        reason: Why there is no trace, if ``how`` is not RAN.
    """

    program: Program
    runtime: str
    device: str
    variant: str = ""
    how: str = RAN
    events: tuple[Event, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs of the suite, with the runtimes' versions and variants, the devices and the programs."""

    versions: Mapping[str, str]
    devices: tuple[str, ...]
    programs: tuple[Program, ...]
    ran: tuple[RunResult, ...]
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def run(
    runtimes: Sequence[Runtime],
    programs: Sequence[Program],
    devices: Sequence[str] = ("cpu",),
    step: Callable[[str, int], None] = lambda words, done: None,
) -> Runs:
    """Run every program on every runtime and device. ``step`` is called with a description of the run and the number of finished runs."""
    # A runtime that cannot start raises here, once, and not for each program.
    versions = {tested.name: tested.version() for tested in runtimes}
    ran: list[RunResult] = []
    done = 0
    for tested in runtimes:
        for device in devices:
            for program in programs:
                step(f"{tested.name} {device} {program.name}", done)
                ran += run_program(tested, program, device)
                done += 1
    variants = {tested.name: tested.variants for tested in runtimes}
    return Runs(versions, tuple(devices), tuple(programs), tuple(ran), variants)


def run_program(runtime: Runtime, program: Program, device: str = "cpu") -> Iterator[RunResult]:
    """Run a program on a runtime and yield a result for each variant that has a trace, or one result with the reason for no trace."""
    lacks = unsupported_reason(runtime, program)
    if lacks is not None:
        yield RunResult(program, runtime.name, device, how=LACKS, reason=lacks)
        return
    if device not in runtime.devices:
        yield RunResult(program, runtime.name, device, how=ABSENT, reason=f"{runtime.name} has no device {device} here")
        return
    try:
        traces = runtime.run(program, device)
    except AdapterError as error:
        yield RunResult(program, runtime.name, device, how=BROKE, reason=str(error))
        return
    except Exception as error:
        # An exception of the program would be part of the trace, so this exception is a defect of the runtime.
        yield RunResult(program, runtime.name, device, how=BROKE, reason=f"{type(error).__name__}: {error}")
        return
    if not traces:
        yield RunResult(program, runtime.name, device, how=BROKE, reason=NO_VARIANT)
    for variant, events in traces.items():
        yield RunResult(program, runtime.name, device, variant, events=name_device(events, device))


def name_device(events: Iterable[Event], device: str) -> tuple[Event, ...]:
    """Replace the device in each ``read`` event by ``asked`` if it is the requested ``device``, else by a text that names both devices."""
    return tuple(_name_device(event, device) for event in events)


def _name_device(event: Event, device: str) -> Event:
    match event:
        case {"event": "thread", "events": [*inner]}:
            return {**event, "events": list(name_device(inner, device))}
        case {"event": "read", "what": "device", "value": {"text": found}}:
            text = "asked" if found == device else f"{found}, where {device} was asked for"
            return {**event, "value": {"text": text}}
    return event
