"""Worker processes of the tools, each of which may end early or hang without harm to the others."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def run(command: Sequence[str | Path], folder: Path, seconds: float, **environ: str) -> tuple[list[Row], str]:
    """Return the rows that a command reports (:func:`report`), and how it ended; empty if it succeeded.

    The command and its child processes are killed after ``seconds``.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "OMP_NUM_THREADS": "1", **environ},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            ended = f"ended with {code}" if (code := process.wait(seconds)) else ""
        except subprocess.TimeoutExpired:
            ended = "took too long"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        lines = output.read().strip().splitlines()
    rows = [json.loads(line.removeprefix("ROW ")) for line in lines if line.startswith("ROW ")]
    return rows, ended and f"The process {ended}: {lines[-1] if lines else ''}"


def report(row: Row) -> None:
    """Send a row from a worker to the process that runs it."""
    print("ROW " + json.dumps(row), flush=True)
