"""The state of processes."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path


def is_running(pid: int) -> bool:
    """Return whether a process exists and has not ended: on Linux, a zombie, which its parent has not waited for, has ended."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.OpenProcess.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(kernel.OpenProcess(0x100000, False, pid))  # SYNCHRONIZE
        runs = bool(handle) and kernel.WaitForSingleObject(handle, 0) == 0x102  # WAIT_TIMEOUT
        kernel.CloseHandle(handle)
        return bool(runs)
    if not Path("/proc").exists():
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return True
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
