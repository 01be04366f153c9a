"""Starts .NET in forked children and interrupts each at another moment of the start.

``interrupted_start.py events`` interrupts at Python's own steps inside the start (audit events, evenly chosen), which needs no luck;
``interrupted_start.py times N`` sends SIGINT from outside, N times, spread over the time that a start takes. Prints one line per
outcome with its number; 'ok' is a KeyboardInterrupt (or a start that was quicker) and then a start that works.
"""

from __future__ import annotations

import collections
import os
import signal
import sys
import time
from collections.abc import Callable

import clr_loader  # noqa: F401
import pythonnet  # noqa: F401
import torch

from bridge import clr

MOMENTS = 16
#: Seconds after which a child has hung.
LIMIT = 60


def audited(wanted: int) -> tuple[Callable[[], None], Callable[[], int]]:
    """Sends this process SIGINT at the audit event of that number; gives what arms it, and what tells the number of events."""
    count = -1

    def arm() -> None:
        nonlocal count
        count = 0

    def hook(event: str, args: object) -> None:
        nonlocal count
        if count < 0 or event in ("os.kill", "sys._getframe"):
            return
        count += 1
        if count == wanted:
            os.kill(os.getpid(), signal.SIGINT)

    sys.addaudithook(hook)
    return arm, lambda: count


def attempt(arm: Callable[[], None]) -> str:
    """One start that is interrupted, and one that is not."""
    try:
        arm()
        clr.start()
        time.sleep(0.2)
        first = "not interrupted"
    except KeyboardInterrupt:
        first = "ok"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    try:
        host = clr.start()
        host.exports.live()
    except BaseException as error:
        return f"the next start: {type(error).__name__}: {error}"
    return first


def child(run: Callable[[], str]) -> tuple[int, int]:
    """A forked process that writes what ``run`` says; gives its id, and the descriptor to read from."""
    reads, writes = os.pipe()
    if pid := os.fork():
        os.close(writes)
        return pid, reads
    signal.alarm(LIMIT)
    try:
        said = run()
        os.write(writes, said.encode())
    finally:
        os._exit(0)


def outcome(pid: int, reads: int) -> str:
    with open(reads) as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name} {said}".strip()
    return said or f"ended with {os.waitstatus_to_exitcode(status)}"


def by_events() -> list[str]:
    def counted() -> str:
        arm, number = audited(-1)
        attempt(arm)
        return str(number())

    total = int(outcome(*child(counted)))

    def interrupted(moment: int) -> str:
        arm, _ = audited(moment)
        return attempt(arm)

    moments = sorted({1 + total * index // MOMENTS for index in range(MOMENTS)})
    return [outcome(*child(lambda moment=moment: interrupted(moment))) for moment in moments]


def by_times(tries: int) -> list[str]:
    began = time.monotonic()
    outcome(*child(lambda: attempt(lambda: None)))
    took = time.monotonic() - began
    said = []
    for index in range(tries):
        pid, reads = child(lambda: attempt(lambda: None))
        time.sleep(took * index / tries)
        os.kill(pid, signal.SIGINT)
        said.append(outcome(pid, reads))
    return said


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell hands it down ignored
    torch.set_num_threads(1)
    found = by_events() if sys.argv[1] == "events" else by_times(int(sys.argv[2]))
    for words, number in collections.Counter(found).items():
        sys.stdout.write(f"{number} {words}\n")
