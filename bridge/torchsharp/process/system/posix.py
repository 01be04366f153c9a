"""Pipes on Linux and macOS, and anonymous shared memory on Linux."""

from __future__ import annotations

import mmap
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bridge.torchsharp.process.system.interface import PipeEnds


class PolledPipes(PipeEnds):
    """Pipes that do not block, and are polled until the deadline."""

    def __init__(self) -> None:
        super().__init__()
        os.set_blocking(self._write, False)
        os.set_blocking(self._read, False)
        self._answers = select.poll()
        self._answers.register(self._read, select.POLLIN)
        self._requests = select.poll()
        self._requests.register(self._write, select.POLLOUT)

    def start(self, command: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start a process with its ends of the pipes."""
        try:
            return spawn(command, environ, (self._theirs_in, self._theirs_out))
        finally:
            self.close_theirs()

    def write(self, data: bytes, deadline: float) -> bool:
        """Write to the pipe of requests."""
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._write, left) :]
            except BlockingIOError:
                if not self._requests.poll(_milliseconds(deadline)):
                    return False
        return True

    def read(self, deadline: float) -> bytes | None:
        """Read from the pipe of answers."""
        while self._answers.poll(_milliseconds(deadline)):
            try:
                return os.read(self._read, 1 << 16)
            except BlockingIOError:
                continue
        return None

    def close(self) -> None:
        """Close all ends."""
        self.release()

    def join(self, timeout: float) -> None:
        """Do nothing: no thread uses the pipes."""


class AnonymousBlock:
    """The memory of a file without a name, which the other process opens as a descriptor of this one."""

    def __init__(self, number: int, size: int) -> None:
        self.number = number
        self.size = size
        self.place = os.memfd_create("torchsharp-bridge", os.MFD_CLOEXEC)
        try:
            os.ftruncate(self.place, size)
            self._memory = mmap.mmap(self.place, size)
        except BaseException:
            os.close(self.place)
            raise

    def bytes(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the memory as an array."""
        return np.frombuffer(self._memory, dtype=np.uint8)

    def close(self) -> None:
        """Close the file."""
        os.close(self.place)


def spawn(command: Sequence[str], environ: Mapping[str, str], theirs: tuple[int, int]) -> subprocess.Popen[bytes]:
    """Start a process that inherits the descriptors ``theirs``."""
    return subprocess.Popen(
        [*command, *map(str, theirs), str(os.getpid())],
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=theirs,
        process_group=0,  # so that Ctrl-C reaches only Python
    )


def _milliseconds(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic()) * 1000
