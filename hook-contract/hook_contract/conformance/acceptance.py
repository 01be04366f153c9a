"""Acceptance of hook programs: the trace of a reference runtime, PyTorch, becomes the program's expected trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from hook_contract.conformance.errors import NotAcceptedError
from hook_contract.conformance.runs import name_device
from hook_contract.output.files import write_atomically
from hook_contract.program import Json, Program, dumps, load
from hook_contract.runtimes.runtime import Runtime


def accept(path: Path, reference: Runtime) -> Program:
    """Run the program of a file on the runtime ``reference`` and write its trace to the file, as ``expect``.

    The file is unchanged if an exception is raised.

    Raises ProgramError if the file has no valid program, and OSError if the file cannot be read or written. Raises NotAcceptedError if the
    trace is empty, differs in a second run, or has other exceptions than those in the steps' ``raises``.
    """
    program = load(path)
    accepted = replace(program, expect=_trace(program, reference))
    write_atomically(path, dumps(accepted))
    return accepted


def _trace(program: Program, reference: Runtime) -> tuple[Mapping[str, Json], ...]:
    first, second = (reference.run(program)[""] for _ in range(2))
    if not first:
        raise NotAcceptedError(f"{program.name} has an empty trace: it calls and reads nothing")
    if first != second:
        raise NotAcceptedError(f"{program.name} gives a different trace when run again")
    _check_raises(program.name, program.steps, first)
    return name_device(first, "cpu")


def _check_raises(name: str, steps: Iterable[Mapping[str, Json]], events: Iterable[Mapping[str, Json]]) -> None:
    """Raise NotAcceptedError if the exceptions in a thread's trace are not those in the ``raises`` of the thread's steps.

    The threads that this thread starts are checked likewise.
    """
    events = list(events)
    steps = list(_thread_steps(steps))
    raised = [event for event in events if event["event"] == "raise"]
    expected = [step["raises"] for step in steps if "raises" in step]
    if [event["error"] for event in raised] != expected:
        # A program ends at an unexpected exception, or where an expected one is not raised.
        last = raised[-1] if raised else {"error": "", "key": "no step raised"}
        ending = f"{last['error']} ({last['key']})" if last["error"] else last["key"]
        raise NotAcceptedError(f"{name} ends early: {ending}. Its steps expect {expected or 'no exception'}")
    threads = iter([event["events"] for event in events if event["event"] == "thread"])
    for step in steps:
        if step["do"] == "thread":
            for _ in range(step.get("count", 1)):
                _check_raises(name, step["steps"], next(threads))


def _thread_steps(steps: Iterable[Mapping[str, Json]]) -> Iterable[Mapping[str, Json]]:
    """Yield the steps of a thread in the order in which they end: the steps inside a block come before the block.

    Steps that another thread runs are left out.
    """
    for step in steps:
        if step["do"] != "thread":
            yield from _thread_steps(step.get("steps", ()))
        yield step
