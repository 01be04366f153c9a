"""Child processes that end with their parent, also when that is killed; on Linux only."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
# Looked up at import: nothing may be loaded between fork and exec.
_prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def exit_with_parent(parent: int) -> None:
    """Have the system kill this process when the thread that started it ends; at once if ``parent``, that thread's process, is gone."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def exit_hook(parent: int) -> Callable[[], None] | None:
    """Return a ``preexec_fn`` that calls :func:`exit_with_parent`; None where other threads run, which may hold locks at the fork."""
    return (lambda: exit_with_parent(parent)) if _prctl is not None and threading.active_count() == 1 else None
