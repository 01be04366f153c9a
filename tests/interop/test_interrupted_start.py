"""Ctrl-C while .NET starts: KeyboardInterrupt whenever it comes, and the next start works."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from bridge import clr
from tests.interop.start_steps import HANG, all_ok, at_steps, child, outcome, seconds_of_a_start

pytestmark = [pytest.mark.dotnet, pytest.mark.skipif(not hasattr(os, "fork"), reason="each start is in a forked child")]


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _attempt(arm: Callable[[], None]) -> str:
    """Return 'ok' if a start is interrupted by KeyboardInterrupt, at the latest at its end, and the next start works."""
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
        clr.start().exports.live_counts()
    except BaseException as error:
        return f"the next start: {type(error).__name__}: {error}"
    return "ok"


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.subprocess
def test_at_steps_of_the_start(every: int) -> None:
    """A-4: SIGINT at Python's own steps inside the start, one process each."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell hands it down ignored
    at_steps(_attempt, _interrupt, every)


@pytest.mark.slow
@pytest.mark.subprocess
def test_at_any_time() -> None:
    """A-4: SIGINT from outside, at 200 times from the beginning of the start to its end."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # one that comes too early for an attempt waits for it
    took, tries = seconds_of_a_start(), 200
    said = {}
    for index in range(tries):
        pid, reads = child(lambda: _attempt(lambda: None))
        time.sleep(took * index / tries)
        os.kill(pid, signal.SIGINT)
        said[index] = outcome(pid, reads)
    all_ok(said)
