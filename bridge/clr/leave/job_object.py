"""Windows' job objects: the processes of a job end with its last handle, and so with the process that holds the handle."""

from __future__ import annotations

import ctypes
import sys
import weakref
from ctypes import wintypes
from typing import Final

assert sys.platform == "win32"

_EXTENDED_LIMITS: Final = 9  # JobObjectExtendedLimitInformation
_KILL_ON_CLOSE: Final = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE

_kernel: Final = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateJobObjectW.restype = wintypes.HANDLE
_kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
_kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_kernel.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
_kernel.CloseHandle.argtypes = (wintypes.HANDLE,)


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


class JobObject:
    """A job whose processes, and their descendants, Windows ends when this object is collected, or when this process ends."""

    def __init__(self) -> None:
        """Create a job without processes. Raises OSError."""
        self._handle: int | None = _kernel.CreateJobObjectW(None, None)
        if not self._handle:
            raise ctypes.WinError(ctypes.get_last_error())
        weakref.finalize(self, _kernel.CloseHandle, self._handle)
        limits = _Limits(flags=_KILL_ON_CLOSE)
        if not _kernel.SetInformationJobObject(
            self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        ):
            raise ctypes.WinError(ctypes.get_last_error())

    def add(self, process: int) -> bool:
        """Put a process, given by its handle, into the job, and return whether Windows allows it."""
        return bool(_kernel.AssignProcessToJobObject(self._handle, process))

    def terminate(self) -> None:
        """End all processes of the job, with exit code 1."""
        _kernel.TerminateJobObject(self._handle, 1)
