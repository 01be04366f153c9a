"""Moments inside the start of .NET, each in a forked process of its own: at Python's own steps, or at any time."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

import clr_loader.hostfxr  # noqa: F401  # else most steps are those of importing it
import pythonnet  # noqa: F401  # as above

from bridge import clr

#: Seconds after which a child has hung.
HANG = 300
#: The audit events that count as steps: between two of them much happens, in native code too.
STEPS = ("import", "ctypes.dlopen", "os.putenv", "os.unsetenv", "os.remove", "tempfile.mkstemp", "pathlib.Path.glob")


def audited(wanted: int, act: Callable[[], None]) -> tuple[Callable[[], None], Callable[[], int]]:
    """Acts at the step of that number on the thread that starts .NET; gives what arms it, and what tells the number of steps."""
    count = -1

    def arm() -> None:
        nonlocal count
        count = 0

    def hook(event: str, args: object) -> None:
        nonlocal count
        if count < 0 or event not in STEPS or threading.current_thread().name != "bridge-start":
            return
        count += 1
        if count == wanted:
            act()

    sys.addaudithook(hook)
    return arm, lambda: count


def child(run: Callable[[], str]) -> tuple[int, int]:
    """A forked process that writes what ``run`` says and ends as a program does; gives its id, and the descriptor to read from."""
    reads, writes = os.pipe()
    if pid := os.fork():
        os.close(writes)
        return pid, reads
    signal.alarm(HANG)
    os.write(writes, run().encode())
    os.close(writes)
    sys.exit(0)


def outcome(pid: int, reads: int) -> str:
    """What a child said, and how it ended if not by itself with 0."""
    with open(reads) as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name} {said}".strip()
    code = os.waitstatus_to_exitcode(status)
    return said if code == 0 else f"ended with {code} {said}".strip()


def at_steps(attempt: Callable[[Callable[[], None]], str], act: Callable[[], None], every: int = 1) -> None:
    """At every such step of a start ``act`` happens in an attempt of its own, which is given what arms it, and each attempt says 'ok'."""

    def counted() -> str:
        arm, number = audited(-1, act)
        arm()
        clr.start()
        return str(number())

    def at(step: int) -> str:
        arm, _ = audited(step, act)
        return attempt(arm)

    number = int(outcome(*child(counted)))
    assert number > 12, number
    said = {
        step: outcome(*child(lambda step=step: at(step)))  # type: ignore[misc]
        for step in range(1, number + 1, every)
    }
    all_ok(said)


def all_ok(said: dict[int, str]) -> None:
    """Every attempt said 'ok', or those that did not are named."""
    assert said
    others = {moment: words for moment, words in said.items() if words != "ok"}
    assert not others, others


def seconds_of_a_start() -> float:
    """What a start takes now."""

    def timed() -> str:
        begin = time.monotonic()
        clr.start()
        return str(time.monotonic() - begin)

    return float(outcome(*child(timed)))
