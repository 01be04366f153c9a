"""Runs of programs in processes of their own, for frameworks that can crash. A crash is an event of the trace, named after the signal."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Final

from hook_contract.program import Json, Program
from hook_contract.runtimes.interpreter import Session
from hook_contract.runtimes.runtime import Events
from hook_contract.runtimes.world import World

#: The signals of crashes. Frameworks handle them to print where they crashed, some to wait for a debugger.
_CRASHES: Final = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)


def run(program: Program, world: Callable[[], World], interpreter: type[Session] = Session) -> Events:
    """Run a program on the World that ``world`` makes, in a forked process, and return its trace.

    If a signal ends the process, the trace ends with an event ``raise`` whose ``error`` is the signal's name, such as SIGSEGV. Raises
    RuntimeError for an error outside of the program.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # Jittor would end this process too when the child crashes
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run_and_exit(program, world, interpreter, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        lines = [json.loads(line) for line in pipe]
    status = os.waitpid(child, 0)[1]
    last = lines[-1] if lines else {}
    if "broke" in last:
        raise RuntimeError(last["broke"])
    if "trace" in last:
        found: Events = last["trace"]
        return found
    name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
    return [*(line["event"] for line in lines), {"event": "raise", "error": name, "key": ""}]


def _run_and_exit(program: Program, world: Callable[[], World], interpreter: type[Session], writer: int) -> None:
    """Run a program and end this process without the usual clean-up, which belongs to the parent.

    Each event is written at once, a line of JSON for each, so that a crash loses none.
    """
    for number in _CRASHES:
        signal.signal(number, signal.SIG_DFL)
    with os.fdopen(writer, "wb") as pipe:
        try:
            session = interpreter(program, world())
            record = session.record

            def report(event: dict[str, Json]) -> None:
                record(event)
                pipe.write(json.dumps({"event": event}).encode() + b"\n")
                pipe.flush()

            session.record = report  # type: ignore[method-assign]  # written at once: a crash loses no event
            last: dict[str, Json] = {"trace": session.trace()}
        except BaseException as error:
            last = {"broke": f"{type(error).__name__}: {error}"}
        pipe.write(json.dumps(last).encode() + b"\n")
    os._exit(0)
