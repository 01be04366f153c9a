"""Processes that end when the one that started them does, however it ends. On Linux; elsewhere they are on their own."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
# Looked up at import: between fork and exec nothing may be loaded.
_prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def end_with(parent: int) -> None:
    """This process is killed when the thread that started it ends; at once where ``parent``, that thread's process, is gone."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def ending_with(parent: int) -> Callable[[], None] | None:
    """:func:`end_with` for what :mod:`subprocess` starts; None where other threads run, since they may hold a lock at the fork."""
    return (lambda: end_with(parent)) if _prctl is not None and threading.active_count() == 1 else None
