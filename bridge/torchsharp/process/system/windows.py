"""The start of a process on Windows."""

from __future__ import annotations

import ctypes
import functools
import msvcrt
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from ctypes import wintypes
from typing import Final

assert sys.platform == "win32"

_EXTENDED_LIMITS: Final = 9  # JobObjectExtendedLimitInformation
_KILL_ON_CLOSE: Final = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
_kernel: Final = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateJobObjectW.restype = wintypes.HANDLE
_kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)


class _Limits(ctypes.Structure):
    """``JOBOBJECT_EXTENDED_LIMIT_INFORMATION``."""

    _fields_ = (
        ("times", ctypes.c_int64 * 2),
        ("flags", wintypes.DWORD),
        ("working_set", ctypes.c_size_t * 2),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority", wintypes.DWORD * 2),
        ("counters", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


def spawn(command: Sequence[str], environ: Mapping[str, str], theirs: tuple[int, int]) -> subprocess.Popen[bytes]:
    """Start a process that inherits the handles of the descriptors ``theirs``, and ends with this one."""
    handles = [msvcrt.get_osfhandle(descriptor) for descriptor in theirs]
    for handle in handles:
        os.set_handle_inheritable(handle, True)
    try:
        process = subprocess.Popen(
            [*command, *map(str, handles), str(os.getpid())],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            startupinfo=subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles}),
            # So that Ctrl-C reaches only Python, and that a Python without a console does not open one.
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW,
        )
    finally:
        for handle in handles:
            os.set_handle_inheritable(handle, False)
    # Where the job cannot have the process, the process itself still waits for the end of this one (WindowsSystem.cs).
    _kernel.AssignProcessToJobObject(_job(), int(process._handle))  # type: ignore[attr-defined]  # undeclared
    return process


@functools.cache
def _job() -> int | None:
    """Return the job of the processes that Windows ends with this one: the job's only handle is closed then."""
    job: int | None = _kernel.CreateJobObjectW(None, None)
    limits = _Limits(flags=_KILL_ON_CLOSE)
    _kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
    return job
