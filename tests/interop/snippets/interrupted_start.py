"""Snippets of test_interrupted_start.py."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from moments import HANG, all_ok, at_steps, child, outcome, seconds_of_a_start

from bridge import clr


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _attempt(arm: Callable[[], None]) -> str:
    """A start that is interrupted, at the latest at its end, and one that is not: 'ok' is KeyboardInterrupt, then a start that works."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        arm()
        clr.start()
        time.sleep(HANG)
        return "not interrupted"
    except KeyboardInterrupt:
        pass
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    try:
        clr.start().exports.live()
    except BaseException as error:
        return f"the next start: {type(error).__name__}: {error}"
    return "ok"


def at_every(step: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell hands it down ignored
    at_steps(_attempt, _interrupt, step)


def at_any_time(tries: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # one that comes too early for an attempt waits for it
    took = seconds_of_a_start()
    said = {}
    for index in range(tries):
        pid, reads = child(lambda: _attempt(lambda: None))
        time.sleep(took * index / tries)
        os.kill(pid, signal.SIGINT)
        said[index] = outcome(pid, reads)
    all_ok(said)
