"""Forked processes that do something while .NET starts: at a step of Python, or at any time."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

from bridge import clr

#: Seconds after which a child has hung.
HANG = 300
#: The audit events that count as steps. Native code runs between them.
STEPS = ("import", "ctypes.dlopen", "os.putenv", "os.unsetenv", "os.remove", "tempfile.mkstemp", "pathlib.Path.glob")


def audited(wanted: int, act: Callable[[], None]) -> tuple[Callable[[], None], Callable[[], int]]:
    """Call ``act`` at a step of the thread that starts .NET; return a function that arms this, and one that returns the number of steps."""
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
    """Fork a process that writes the text of ``run`` and exits; return its id and the descriptor to read from."""
    reads, writes = os.pipe()
    if pid := os.fork():
        os.close(writes)
        return pid, reads
    signal.alarm(HANG)
    os.write(writes, run().encode())
    os.close(writes)
    sys.exit(0)


def outcome(pid: int, reads: int) -> str:
    """Return the text of a child, and its exit code or signal unless it exited with 0."""
    with open(reads, encoding="utf-8") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name} {said}".strip()
    code = os.waitstatus_to_exitcode(status)
    return said if code == 0 else f"ended with {code} {said}".strip()


def at_steps(attempt: Callable[[Callable[[], None]], str], act: Callable[[], None], every: int = 1) -> None:
    """Check that an attempt returns 'ok' for every such step of a start, at which ``act`` is called once the attempt arms it."""

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
    """Check that every attempt returned 'ok'."""
    assert said
    others = {moment: words for moment, words in said.items() if words != "ok"}
    assert not others, others


def seconds_of_a_start() -> float:
    """Return the seconds that a start takes."""

    def timed() -> str:
        begin = time.monotonic()
        clr.start()
        return str(time.monotonic() - begin)

    return float(outcome(*child(timed)))
