"""Processes that tests look at, stop and kill: by /proc and signals, on Windows by its own functions."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

#: Whether this is no Windows, but Wine.
WINE = sys.platform == "win32" and hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")

if sys.platform == "win32":
    from ctypes import wintypes

    _QUERY, _SYNCHRONIZE, _SUSPEND, _END = 0x1000, 0x100000, 0x0800, 0x0001
    _kernel = ctypes.WinDLL("kernel32")
    _kernel.OpenProcess.restype = wintypes.HANDLE
    _kernel.WaitForSingleObject.argtypes = (wintypes.HANDLE, wintypes.DWORD)
    _kernel.TerminateProcess.argtypes = (wintypes.HANDLE, wintypes.UINT)
    _kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
    _kernel.K32GetProcessMemoryInfo.argtypes = (wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD)
    _kernel.GetCurrentProcess.restype = wintypes.HANDLE
    _kernel.K32EnumProcessModules.argtypes = (wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD, ctypes.c_void_p)
    _kernel.GetModuleFileNameW.argtypes = (wintypes.HMODULE, wintypes.LPWSTR, wintypes.DWORD)
    _kernel.GetProcessHandleCount.argtypes = (wintypes.HANDLE, ctypes.POINTER(wintypes.DWORD))
    _suspend = ctypes.WinDLL("ntdll").NtSuspendProcess
    _suspend.argtypes = (wintypes.HANDLE,)

    class _Memory(ctypes.Structure):
        """``PROCESS_MEMORY_COUNTERS_EX``."""

        _fields_ = (
            ("size", wintypes.DWORD),
            ("faults", wintypes.DWORD),
            ("counters", ctypes.c_size_t * 8),
            ("private", ctypes.c_size_t),
        )

    def is_running(pid: int) -> bool:
        """Return whether a process exists and has not ended."""
        process = _kernel.OpenProcess(_SYNCHRONIZE, False, pid)
        if not process:
            return False
        ended = _kernel.WaitForSingleObject(process, 0) == 0
        _kernel.CloseHandle(process)
        return not ended

    def kill(pid: int) -> None:
        """End a process at once, with exit code 9."""
        process = _kernel.OpenProcess(_END, False, pid)
        assert process, pid
        _kernel.TerminateProcess(process, 9)
        _kernel.CloseHandle(process)

    def stop(pid: int) -> None:
        """Stop all threads of a process."""
        process = _kernel.OpenProcess(_SUSPEND, False, pid)
        assert process, pid
        assert _suspend(process) == 0
        _kernel.CloseHandle(process)

    def private_memory(pid: int) -> int:
        """Return the bytes of memory that a process shares with no other one."""
        process = _kernel.OpenProcess(_QUERY | 0x0010, False, pid)
        assert process, pid
        memory = _Memory(size=ctypes.sizeof(_Memory))
        assert _kernel.K32GetProcessMemoryInfo(process, ctypes.byref(memory), ctypes.sizeof(memory))
        _kernel.CloseHandle(process)
        return int(memory.private)

    def descriptors() -> int:
        """Return the number of open handles of this process."""
        count = wintypes.DWORD()
        _kernel.GetProcessHandleCount(_kernel.GetCurrentProcess(), ctypes.byref(count))
        return count.value

    def loaded(name: str) -> set[str]:
        """Return the files of this name from which this process has code or data."""
        modules, size = (wintypes.HMODULE * 4096)(), wintypes.DWORD()
        _kernel.K32EnumProcessModules(_kernel.GetCurrentProcess(), modules, ctypes.sizeof(modules), ctypes.byref(size))
        found = set()
        text = ctypes.create_unicode_buffer(1024)
        for module in modules[: size.value // ctypes.sizeof(wintypes.HMODULE)]:
            _kernel.GetModuleFileNameW(module, text, len(text))
            found.add(text.value)
        return {file for file in found if Path(file).name.lower() == name.lower()}

else:

    def loaded(name: str) -> set[str]:
        """Return the files of this name from which this process has code or data."""
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")
        return {line.split(maxsplit=5)[5] for line in maps.splitlines() if line.endswith(f"/{name}")}

    def is_running(pid: int) -> bool:
        """Return whether a process exists and, on Linux, is no zombie, which its parent has not waited for."""
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

    def kill(pid: int) -> None:
        """End a process at once."""
        os.kill(pid, signal.SIGKILL)

    def stop(pid: int) -> None:
        """Stop all threads of a process."""
        os.kill(pid, signal.SIGSTOP)

    def private_memory(pid: int) -> int:
        """Return the bytes of memory that a process shares with no other one."""
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        return int(status.partition("RssAnon:")[2].split()[0]) * 1024

    def descriptors() -> int:
        """Return the number of open descriptors of this process."""
        return len(list(Path("/proc/self/fd").iterdir()))
