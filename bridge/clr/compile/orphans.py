"""Child processes that end when their parent ends, even if the parent is killed; on Linux only."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
# Loaded at import, since a library must not be loaded between fork and exec.
_prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def exit_with_parent(parent: int) -> None:
    """Make Linux kill this process when the thread that started this process ends.

    ``parent`` is the id of the parent process. If that process has ended already, this process is killed now. Has no effect on other
    systems than Linux.
    """
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def exit_hook(parent: int) -> Callable[[], None] | None:
    """Return a ``preexec_fn`` that calls :func:`exit_with_parent`, or None.

    Returns None if the system is not Linux, or if this process has other threads: a fork would copy the locks that those threads hold, and
    nothing would release the copies.
    """
    return (lambda: exit_with_parent(parent)) if _prctl is not None and threading.active_count() == 1 else None
