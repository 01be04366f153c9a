"""The suite's own speed: the whole corpus on every runtime, and random programs; each in a process of its own, its start included."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial

from harness import Figure, Samples


def _seconds(rounds: int, *arguments: str) -> Samples:
    return Samples([_timed(*arguments) for _ in range(rounds)])


def _timed(*arguments: str) -> float:
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "bridge", *arguments], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    print("  " + done.stdout.strip().splitlines()[-1], flush=True)
    return seconds


FIGURES = (
    Figure("corpus", "the corpus on pytorch, dotnet, hooks and model", None, "s", partial(_seconds, 7, "conformance"), 20),
    Figure("fuzz", "2,000 random programs on all of them", None, "s", partial(_seconds, 1, "fuzz", "--count", "2000"), 120),
    Figure(
        "fuzz-20000", "20,000 random programs on all of them, none differing without a reason", None, "s",
        partial(_seconds, 1, "fuzz", "--count", "20000", "--seed", "1"), long=True,
    ),
)  # fmt: skip
