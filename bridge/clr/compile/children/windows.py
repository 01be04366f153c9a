"""Child processes on Windows: a job object holds a child and its descendants, and ends them when the last handle of the job is closed."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from ctypes import wintypes
from typing import Any, Final

assert sys.platform == "win32"

from bridge.clr.leave.job_object import JobObject  # noqa: E402  # exists for a type checker on Windows alone

#: The signal that asks a process to end: Ctrl-Break, since Windows has no SIGTERM for other processes.
END: Final = signal.SIGBREAK

_CREATE_SUSPENDED: Final = 0x4
#: Seconds after which a wait sees Ctrl-C: Python's own waits on Windows do not see it before they end.
_INTERVAL: Final = 0.1

_resume = ctypes.WinDLL("ntdll").NtResumeProcess
_resume.argtypes = (wintypes.HANDLE,)


class Child(subprocess.Popen[str]):
    """A child process that ends, with its descendants, when this process ends or when this object is collected.

    Ctrl-C does not reach the child. ``own_group`` is for the same calls on all systems: a child is always in a group of its own.
    """

    def __init__(self, command: Sequence[str], *, own_group: bool = True, **options: Any) -> None:
        self._job = JobObject()
        # Suspended until it is in the job: what it starts before would not be in the job.
        flags = _CREATE_SUSPENDED | subprocess.CREATE_NEW_PROCESS_GROUP
        super().__init__(command, text=True, creationflags=flags, **options)
        handle = int(self._handle)  # type: ignore[attr-defined]  # Popen's handle of the process
        self._job.add(handle)
        _resume(handle)

    def wait(self, timeout: float | None = None) -> int:
        """Wait as Popen does, but let Ctrl-C raise KeyboardInterrupt at once."""
        while timeout is None:
            with suppress(subprocess.TimeoutExpired):
                return super().wait(_INTERVAL)
        return super().wait(timeout)

    def communicate(self, input: str | None = None, timeout: float | None = None) -> tuple[str, str]:
        """Send input and read the output as Popen does, but let Ctrl-C raise KeyboardInterrupt at once."""
        while timeout is None:
            with suppress(subprocess.TimeoutExpired):
                return super().communicate(input, _INTERVAL)
            input = None  # the first call has taken it
        return super().communicate(input, timeout)

    def kill_all(self) -> None:
        """Kill the process and its descendants."""
        self._job.terminate()

    def ask_to_end(self) -> None:
        """Send :data:`END` to the process and its descendants; do nothing if they have no console, or another one."""
        with suppress(OSError):
            self.send_signal(signal.CTRL_BREAK_EVENT)


def exit_with_parent(parent: int) -> None:
    """Do nothing: the process is in its parent's job."""
