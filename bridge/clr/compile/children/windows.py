"""Child processes on Windows: a job object holds a child and its descendants, and ends them when the last handle of the job is closed."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from ctypes import wintypes
from typing import Any, Final

assert sys.platform == "win32"

#: The signal that asks a process to end: Ctrl-Break, since Windows has no SIGTERM for other processes.
END: Final = signal.SIGBREAK

_CREATE_SUSPENDED: Final = 0x4
_EXTENDED_LIMITS: Final = 9  # JobObjectExtendedLimitInformation
_KILL_ON_JOB_CLOSE: Final = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
#: Seconds after which a wait sees Ctrl-C: Python's own waits on Windows do not see it before they end.
_INTERVAL: Final = 0.1

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateJobObjectW.restype = wintypes.HANDLE
_kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
_kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_kernel.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
_kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
_resume = ctypes.WinDLL("ntdll").NtResumeProcess
_resume.argtypes = (wintypes.HANDLE,)


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, of which only ``flags`` is set."""

    _fields_ = (
        ("times", ctypes.c_int64 * 2),
        ("flags", wintypes.DWORD),
        ("working_set", ctypes.c_size_t * 2),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("classes", wintypes.DWORD * 2),
        ("transfers", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


class Child(subprocess.Popen[str]):
    """A child process that ends, with its descendants, when this process ends or when this object is collected.

    Ctrl-C does not reach the child. ``own_group`` is for the same calls on all systems: a child is always in a group of its own.
    """

    def __init__(self, command: Sequence[str], *, own_group: bool = True, **options: Any) -> None:
        self._job = _create_job()
        weakref.finalize(self, _kernel.CloseHandle, self._job)
        # Suspended until it is in the job: what it starts before would not be in the job.
        flags = _CREATE_SUSPENDED | subprocess.CREATE_NEW_PROCESS_GROUP
        super().__init__(command, text=True, creationflags=flags, **options)
        handle = int(self._handle)  # type: ignore[attr-defined]  # Popen's handle of the process
        _kernel.AssignProcessToJobObject(self._job, handle)
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
        _kernel.TerminateJobObject(self._job, 1)

    def ask_to_end(self) -> None:
        """Send :data:`END` to the process and its descendants; do nothing if they have no console, or another one."""
        with suppress(OSError):
            self.send_signal(signal.CTRL_BREAK_EVENT)


def _create_job() -> int:
    """Return the handle of a new job whose processes end when the handle is closed, that is, at the latest when this process ends."""
    job = _kernel.CreateJobObjectW(None, None)
    limits = _Limits(flags=_KILL_ON_JOB_CLOSE)
    if not job or not _kernel.SetInformationJobObject(
        job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
    ):
        raise ctypes.WinError(ctypes.get_last_error())
    return int(job)


def exit_with_parent(parent: int) -> None:
    """Do nothing: the process is in its parent's job."""
