"""The suite's own speed: the whole corpus on every runtime, and random programs. Each in a process of its own, start included."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator

from harness import Figure

#: Random programs in the run that is written down.
PROGRAMS = int(os.environ.get("BRIDGE_FUZZ", "2000"))


def figures() -> Iterator[Figure]:
    """The figures of this file."""
    seconds, said = _timed("conformance", "--device", "cpu")
    yield Figure(
        "the corpus on pytorch, dotnet, hooks and model, .NET's start included", seconds, None, "s", 20, note=said
    )
    seconds, said = _timed("fuzz", "--count", "2000")
    yield Figure("2,000 random programs on all of them", seconds, None, "s", 120, note=said)
    if PROGRAMS != 2000:
        seconds, said = _timed("fuzz", "--count", str(PROGRAMS), "--seed", "20000")
        yield Figure(f"{PROGRAMS:,} random programs", seconds, None, "s", note=said)


def _timed(*arguments: str) -> tuple[float, str]:
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "bridge", *arguments], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return seconds, re.sub(r"\s+", " ", done.stdout.strip().splitlines()[-1])
