"""The speed of the suite: the entire corpus on every runtime, and random programs, each in a process of its own, including its start."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial

from harness import FEW, Figure, Samples


def _corpus() -> Samples:
    return Samples([_timed("conformance")[0] for _ in range(FEW)])


def _fuzz(*arguments: str) -> Samples:
    seconds, said = _timed("fuzz", *arguments)
    return Samples(
        [seconds], said=said.rpartition(", ")[0]
    )  # without the command's own seconds, which exclude its start


def _timed(*arguments: str) -> tuple[float, str]:
    """Return the seconds of a command, and its last line of output."""
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "bridge", *arguments], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    said = done.stdout.strip().splitlines()[-1]
    print(f"  {said}", flush=True)
    return seconds, said


FIGURES = (
    Figure("corpus", "the corpus on pytorch, dotnet, hooks and model", None, "s", _corpus, 20),
    Figure("fuzz", "random programs on all of them", None, "s", partial(_fuzz, "--count", "2000"), 120),
    Figure(
        "fuzz-20000", "random programs on all of them, none differing without a reason", None, "s",
        partial(_fuzz, "--count", "20000", "--seed", "1"), long=True,
    ),
)  # fmt: skip
