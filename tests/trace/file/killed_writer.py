"""Writes a trace over another one and kills itself in between: ``killed_writer.py FILE NUMBER OPERATIONS``.

The trace has one tensor with the elements [NUMBER]. Before the file operation of the number OPERATIONS (renames and removals count,
from 0) the process ends by SIGKILL.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bridge.trace import Event, Trace, Value, digest
from bridge.trace.file import write

_FILE_OPERATIONS = ("os.rename", "os.remove")


def main(file: str, number: str, operations: str) -> None:
    left = int(operations)

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in _FILE_OPERATIONS:
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    data = np.array([float(number)])
    value = Value("tensor", (1,), "float64", "cpu", digest(data), data=data)
    sys.addaudithook(count)
    write(Path(file), Trace("t", [Event(0, "", "M", "pre", 0, -1, values=(value,))]))


if __name__ == "__main__":
    main(*sys.argv[1:])
