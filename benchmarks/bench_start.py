"""The cost of starting: importing the package, and from the import to a C# model's first result."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

from harness import FEW, Figure, Samples

_IMPORT = "import time; t = time.process_time(); import bridge; print(time.process_time() - t)"
_START = Path(__file__).parent / "processes" / "start.py"
_SHIPPED = Path(__file__).parents[1] / "bridge" / "_dotnet"


def _run(*arguments: str) -> list[float]:
    # The assemblies of the package, as users have them: those of a checkout's build are not compiled ahead of time.
    environ = {**os.environ, "BRIDGE_ASSEMBLIES": str(_SHIPPED)}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, env=environ)
    return [float(number) * 1e3 for number in done.stdout.split()]


def _import() -> Samples:
    return Samples([_run("-c", _IMPORT)[0] for _ in range(FEW)])


def _start() -> Samples:
    _run(str(_START))  # files are read into memory
    runs = [_run(str(_START)) for _ in range(FEW)]
    torch, torch_clock, ours, ours_clock = zip(*runs, strict=True)
    clock = statistics.median(ours / peer for ours, peer in zip(ours_clock, torch_clock, strict=True))
    return Samples(list(ours), list(torch), f"on the clock {clock:.2f}")


FIGURES = (
    Figure("import", "`import bridge`, which imports neither torch nor .NET", None, "ms", _import, 20),
    Figure("start", "`import bridge` to the first result of a small C# model", "`import torch`", "ms", _start, 0.28),
)
