"""What each system's pipes and shared memory have in common."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np


class Pipes(Protocol):
    """A pipe for requests to a child process, and a pipe for its answers."""

    def __init__(self) -> None: ...

    def start(self, command: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start ``command`` with three more arguments: the ends of its pipes, and the id of this process.

        The ends are file descriptors; on Windows, handles. The process's standard output and standard error are one pipe, ``stdout``.
        Called once. Raises OSError if the command cannot be started.
        """

    def write(self, data: bytes, deadline: float) -> bool:
        """Write ``data`` before ``deadline``, a value of ``time.monotonic``, and return whether the process has taken it in time.

        Raises BrokenPipeError if the process has closed its end.
        """

    def read(self, deadline: float) -> bytes | None:
        """Return the bytes that arrive next; b"" at the end of the pipe, and None if nothing arrives before ``deadline``."""

    def close(self) -> None:
        """Close the pipes, so that the process reads the end of its pipe."""

    def join(self, timeout: float) -> None:
        """Wait for what still uses the pipes after :meth:`close` and the end of the process, up to ``timeout`` seconds."""

    def release(self) -> None:
        """Close the pipes in a forked child of Python, which has none of Python's threads."""


class Block(Protocol):
    """Memory that another process can open. ``number`` identifies the block there."""

    number: int
    size: int

    def __init__(self, number: int, size: int) -> None: ...

    @property
    def place(self) -> int | str:
        """Return what the other process opens: the descriptor in this process, or a name."""

    def bytes(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the memory as an array."""

    def close(self) -> None:
        """Give the block up. The mapping of its memory ends with the last array that uses it."""


class PipeEnds:
    """The descriptors of two pipes; -1 for one that is closed."""

    def __init__(self) -> None:
        self._theirs_in, self._write = os.pipe()
        self._read, self._theirs_out = os.pipe()

    def close_theirs(self) -> None:
        """Close the ends that the child process has inherited."""
        self._close("_theirs_in", "_theirs_out")

    def release(self) -> None:
        """Close all ends."""
        self._close("_theirs_in", "_theirs_out", "_write", "_read")

    def _close(self, *names: str) -> None:
        for name in names:
            descriptor = getattr(self, name)
            if descriptor >= 0:
                setattr(self, name, -1)
                os.close(descriptor)
