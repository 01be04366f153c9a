"""The start of a process on Windows."""

from __future__ import annotations

import functools
import msvcrt
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

assert sys.platform == "win32"

from bridge.clr.leave.job_object import JobObject  # noqa: E402  # exists for a type checker on Windows alone


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
    _job().add(int(process._handle))  # type: ignore[attr-defined]  # undeclared
    return process


@functools.cache
def _job() -> JobObject:
    """Return the job of the processes that Windows ends with this one."""
    return JobObject()
