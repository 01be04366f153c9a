"""Child processes on Linux and macOS: the kernel (Linux) or a thread (macOS) ends a child whose parent has ended."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

assert sys.platform != "win32"

#: The signal that asks a process to end.
END: Final = signal.SIGTERM

_PR_SET_PDEATHSIG: Final = 1
# Loaded at import, since a library must not be loaded between fork and exec.
_prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None
#: Seconds between two checks for the parent on systems other than Linux.
_INTERVAL: Final = 0.25


class Child(subprocess.Popen[str]):
    """A child process that on Linux ends when this process ends, unless this process has other threads when it starts the child.

    With ``own_group``, the child and its own children are a process group in a session of their own, which Ctrl-C does not reach.
    """

    def __init__(self, command: Sequence[str], *, own_group: bool = True, **options: Any) -> None:
        self._own_group = own_group
        super().__init__(command, text=True, start_new_session=own_group, preexec_fn=_exit_hook(os.getpid()), **options)

    def kill_all(self) -> None:
        """Kill the process; with ``own_group``, also its own children."""
        if self._own_group:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        else:
            self.kill()

    def ask_to_end(self) -> None:
        """Send :data:`END` to the process."""
        self.send_signal(END)


def exit_with_parent(parent: int) -> None:
    """Make the system, or a thread, kill this process when the process that started it ends.

    ``parent`` is the id of that process. If it has ended already, this process is killed now. On Linux, the end of the thread that started
    this process is enough.
    """
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _exit_without(parent)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _exit_without(parent: int) -> None:
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _watch(parent: int) -> None:
    while True:
        _exit_without(parent)
        time.sleep(_INTERVAL)


def _exit_hook(parent: int) -> Callable[[], None] | None:
    """Return a ``preexec_fn`` that calls :func:`exit_with_parent`, or None.

    Returns None if the system is not Linux, or if this process has other threads: a fork would copy the locks that those threads hold, and
    nothing would release the copies.
    """
    return (lambda: exit_with_parent(parent)) if _prctl is not None and threading.active_count() == 1 else None
