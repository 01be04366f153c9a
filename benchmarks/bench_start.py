"""The cost of starting: importing the package, and starting .NET until the first call."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from harness import FEW, Figure, Samples

_IMPORT = "import time; t = time.process_time(); import bridge; print(time.process_time() - t)"
_CALL = Path(__file__).parent / "processes" / "start.py"


def _milliseconds(*arguments: str) -> Samples:
    command = [sys.executable, *arguments]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(FEW)]
    return Samples([float(run.stdout) * 1e3 for run in runs])


FIGURES = (
    Figure(
        "import",
        "`import bridge`, which imports neither torch nor .NET",
        None,
        "ms",
        partial(_milliseconds, "-c", _IMPORT),
        20,
    ),
    Figure("start", "start of .NET to the first call's result", None, "ms", partial(_milliseconds, str(_CALL)), 500),
)
