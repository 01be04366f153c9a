"""Accepts a hook program: what PyTorch does with it becomes the trace that it expects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from bridge.conformance.errors import NotAcceptedError
from bridge.conformance.runs import name_device
from bridge.output.files import write_at_once
from bridge.program import Json, Program, dumps, load
from bridge.runtimes.runtime import Runtime, runtime


def accept(path: Path, *, reference: Runtime | None = None) -> Program:
    """Runs the program in a file on PyTorch and writes its trace into the file, as ``expect``.

    ``reference`` is PyTorch. The file is left as it was when the program is not accepted. Raises ProgramError where the
    file is not a program, NotAcceptedError where its trace proves nothing, OSError.
    """
    program = load(path)
    accepted = replace(program, expect=_trace(program, reference or runtime("pytorch")))
    write_at_once(path, dumps(accepted))
    return accepted


def _trace(program: Program, reference: Runtime) -> tuple[Mapping[str, Json], ...]:
    first, second = (reference.run(program)[""] for _ in range(2))
    if not first:
        raise NotAcceptedError(f"{program.name} has an empty trace: it calls and reads nothing")
    if first != second:
        raise NotAcceptedError(f"{program.name} gives a different trace when run again")
    _compare_raises(program.name, program.steps, first)
    return name_device(first, "cpu")


def _compare_raises(name: str, steps: Iterable[Mapping[str, Json]], events: Iterable[Mapping[str, Json]]) -> None:
    """Refuses a program in which a step raised what its ``raises`` does not say; each thread is looked at by itself."""
    events = list(events)
    steps = list(_of_one_thread(steps))
    raised = [event for event in events if event["event"] == "raise"]
    expected = [step["raises"] for step in steps if "raises" in step]
    if [event["error"] for event in raised] != expected:
        # A step that raised unexpectedly ended the program, so the last one is to blame.
        last = raised[-1] if raised else {"error": "", "key": "nothing was raised"}
        ending = f"{last['error']} ({last['key']})" if last["error"] else last["key"]
        raise NotAcceptedError(f"{name} ends early: {ending}; its steps say {expected or 'that nothing is raised'}")
    threads = iter([event["events"] for event in events if event["event"] == "thread"])
    for step in steps:
        if step["do"] == "thread":
            for _ in range(step.get("count", 1)):
                _compare_raises(name, step["steps"], next(threads))


def _of_one_thread(steps: Iterable[Mapping[str, Json]]) -> Iterable[Mapping[str, Json]]:
    """Steps in the order in which they end, those of blocks included, those of other threads not."""
    for step in steps:
        if step["do"] != "thread":
            yield from _of_one_thread(step.get("steps", ()))
        yield step
