"""Pipes and shared memory that run on every system."""

from __future__ import annotations

import mmap
import os
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from bridge.torchsharp.process.system.interface import PipeEnds

if sys.platform == "win32":
    from bridge.torchsharp.process.system.windows import spawn
else:
    import fcntl

    from bridge.torchsharp.process.system.posix import spawn

T = TypeVar("T")

#: The start of the names of shared memory.
PREFIX: Final = "torchsharp-bridge-"
#: The seconds after which a wait looks for Ctrl-C, which does not interrupt a wait on Windows.
_WAIT: Final = 0.1
#: The seconds after which a file whose process has ended is deleted.
_LEFT: Final = 60.0


class ThreadedPipes(PipeEnds):
    """Pipes that block, and a thread for each, so that a wait can end at the deadline.

    Each thread closes its own end: on Windows, no other thread can close a descriptor while this one reads or writes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._received: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._given: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._taken: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._is_reading = False
        self._threads = [
            threading.Thread(target=run, name=f"bridge-host-{name}", daemon=True)
            for name, run in (("answers", self._read_all), ("requests", self._write_all))
        ]

    def start(self, command: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start a process with its ends of the pipes, and the threads."""
        try:
            process = spawn(command, environ, (self._theirs_in, self._theirs_out))
        except BaseException:
            self.release()
            raise
        self.close_theirs()
        for thread in self._threads:
            thread.start()
        return process

    def write(self, data: bytes, deadline: float) -> bool:
        """Let the thread write to the pipe of requests."""
        self._given.put(data)
        taken = _get(self._taken, deadline)
        if taken is False:
            raise BrokenPipeError
        return taken is not None

    def read(self, deadline: float) -> bytes | None:
        """Let the thread read from the pipe of answers."""
        if not self._is_reading:
            self._is_reading = True
            self._wanted.put(True)
        data = _get(self._received, deadline)
        self._is_reading = data is None
        return data

    def close(self) -> None:
        """Let the threads close their ends; one that reads or writes does so when the process ends."""
        self._given.put(None)
        self._wanted.put(False)

    def join(self, timeout: float) -> None:
        """Wait for the threads."""
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(timeout)

    def _read_all(self) -> None:
        while self._wanted.get():
            try:
                data = os.read(self._read, 1 << 16)
            except OSError:
                data = b""
            self._received.put(data)
        self._close("_read")

    def _write_all(self) -> None:
        while (data := self._given.get()) is not None:
            left = memoryview(data)
            try:
                while left:
                    left = left[os.write(self._write, left) :]
            except OSError:
                self._taken.put(False)
            else:
                self._taken.put(True)
        self._close("_write")


class NamedBlock:
    """Memory with a name. On Windows, the name ends with the last process that has the memory.

    Elsewhere it is a file, which the other process deletes as soon as it has the memory, and this process deletes where the other did not.
    A file that is left when both are killed is deleted by the next process that makes one.
    """

    def __init__(self, number: int, size: int) -> None:
        self.number = number
        self.size = size
        name = f"{PREFIX}{secrets.token_hex(8)}"
        if sys.platform == "win32":
            self.place = name
            self._memory = mmap.mmap(-1, size, tagname=name)
        else:
            self.place = str(_folder() / name)
            descriptor = os.open(self.place, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            self._delete = weakref.finalize(self, _delete, self.place, os.getpid())
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH)
                os.ftruncate(descriptor, size)
                self._memory = mmap.mmap(descriptor, size)
            except BaseException:
                self.close()
                raise
            finally:
                os.close(descriptor)

    def bytes(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the memory as an array."""
        return np.frombuffer(self._memory, dtype=np.uint8)

    def close(self) -> None:
        """Delete the file."""
        if sys.platform != "win32":
            self._delete()


def _get(source: queue.SimpleQueue[T], deadline: float) -> T | None:
    """Return the next item; None if there is none before the deadline."""
    while True:
        left = deadline - time.monotonic()
        try:
            return source.get(timeout=max(0.0, min(left, _WAIT)))
        except queue.Empty:
            if left <= _WAIT:
                return None


if sys.platform != "win32":
    _swept = False

    def _folder() -> Path:
        """Return the folder of shared memory, without the files that killed processes have left."""
        global _swept
        memory = Path("/dev/shm")
        folder = memory if memory.is_dir() else Path(tempfile.gettempdir())
        if not _swept:
            _swept = True
            for file in folder.glob(f"{PREFIX}*"):
                with suppress(OSError):
                    _delete_left(file)
        return folder

    def _delete_left(file: Path) -> None:
        """Delete an old file if no process has its memory: a mapping keeps the file's lock."""
        if time.time() - file.stat().st_mtime < _LEFT:
            return
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.unlink()
        finally:
            os.close(descriptor)

    def _delete(path: str, process: int) -> None:
        """Delete a file, unless this is a forked child of the process that made it."""
        if os.getpid() == process:
            Path(path).unlink(missing_ok=True)
