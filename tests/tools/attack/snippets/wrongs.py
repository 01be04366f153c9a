"""Kinds of attack that find something wrong, each by what its name says, and one that does not."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from typing import Any

from attack.case import WrongResultError

kept: list[bytearray] = []
seen: set[int] = set()


def right(case: Any) -> None:
    """Do nothing wrong."""


def wrong(case: Any) -> None:
    raise WrongResultError("another result")


def wrong_again(case: Any) -> None:
    """Fail, except the first time in a process."""
    if case.index in seen:
        raise WrongResultError("another result at the second time")
    seen.add(case.index)


def raises(case: Any) -> None:
    raise KeyError("in the case itself")


def hang(case: Any) -> None:
    time.sleep(10_000)


def hang_with_the_gil(case: Any) -> None:
    ctypes.PyDLL(None).sleep(10_000)


def crash(case: Any) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def ends(case: Any) -> None:
    os._exit(0)


def grows(case: Any) -> None:
    kept.append(bytearray(2 << 20))


def grows_by_tiers(case: Any) -> None:
    """Grow while .NET compiles methods again: its compiler's memory counts as the case's."""
    if os.environ.get("DOTNET_TieredCompilation") != "0":  # noqa: SIM112  # the name is .NET's
        grows(case)


def leaves_a_mode(case: Any) -> None:
    import torch

    torch.set_grad_enabled(False)


def leaves_a_thread(case: Any) -> None:
    threading.Thread(target=lambda: time.sleep(2), name="left").start()


def unraisable(case: Any) -> None:
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()


def alone_right(case: Any) -> None:
    case.ends_with(3)
    sys.exit(3)


def alone_other_code(case: Any) -> None:
    case.ends_with(3)
    sys.exit(4)


def alone_crash(case: Any) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def alone_early(case: Any) -> None:
    os._exit(0)


def alone_wrong(case: Any) -> None:
    raise WrongResultError("another result")
