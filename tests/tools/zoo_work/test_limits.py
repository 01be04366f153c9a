"""zoo_work.limits: a function in a process of its own, which its limits end."""

from __future__ import annotations

import math
import os
import signal

import pytest

pytest.importorskip("resource", reason="limits of memory and time are set by the module resource, POSIX's")

from zoo_work.limits import Limits, Stopped

pytestmark = pytest.mark.slow  # each starts processes that import torch

LIMITS = Limits(60, 2 << 30)


def test_the_result_of_another_process_is_returned() -> None:
    assert LIMITS.call(math.sqrt, 4.0) == 2.0
    assert LIMITS.call(os.getpid) != os.getpid()


def test_a_process_that_computes_too_long_is_stopped() -> None:
    with pytest.raises(Stopped, match=r"^timeout$"):
        Limits(1, 2 << 30).call(sum, range(10**12))


def test_a_process_that_asks_for_too_much_memory_ends() -> None:
    assert len(Limits(60, 2 << 30).call(bytes, 10)) == 10
    with pytest.raises(Stopped, match="ended with 1$"):
        LIMITS.call(bytes, 4 << 30)


def test_a_process_that_a_signal_ends_is_told_by_it() -> None:
    with pytest.raises(Stopped, match="ended with -11$"):
        LIMITS.call(signal.raise_signal, signal.SIGSEGV)
