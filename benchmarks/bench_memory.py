"""Memory: what a model costs beyond its PyTorch counterpart, and what rounds of registering leave behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from harness import FEW, Figure, Samples

_PROCESSES = Path(__file__).parent / "processes"
# glibc gives what is freed back at once, so that only what is in use counts.
_MAPPED = {"MALLOC_MMAP_THRESHOLD_": "65536"}


def _sides(*arguments: str, mapped: bool = False) -> Samples:
    rounds = [[_run(*arguments, side, mapped=mapped) for side in ("dotnet", "pytorch")] for _ in range(FEW)]
    return Samples([ours for ours, _ in rounds], [peer for _, peer in rounds])


def _rounds(number: int, times: int) -> Samples:
    return Samples(_run("memory", "rounds", str(number), str(times)))


def _run(process: str, *arguments: str, mapped: bool = False) -> Any:
    done = subprocess.run(
        [sys.executable, str(_PROCESSES / f"{process}.py"), *arguments], capture_output=True, text=True, check=False,
        env=os.environ | (_MAPPED if mapped else {}),
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


FIGURES = (
    Figure(
        "memory", "peak memory of the demo's cascade over the value just before its first call: .NET", "PyTorch", "MB",
        partial(_sides, "memory", "cascade"), 1.2,
    ),
    Figure(
        "memory-resnet50",
        "peak memory of calls of ResNet-50, batch 8, over the value before the first, each tensor in pages of its own: .NET",
        "PyTorch", "MB", partial(_sides, "resnet50", mapped=True), 1.1,
    ),
    Figure(
        "memory-resnet50-heap", "the same in glibc's heap, where it is chance which freed pieces fit: .NET", "PyTorch", "MB",
        partial(_sides, "resnet50"),
    ),
    Figure("rounds", "resident memory grown by 10,000 rounds of register, call, remove", None, "MB", partial(_rounds, 10_000, FEW), 5),
    Figure("rounds-80000", "the same by 80,000 rounds, no live handle left", None, "MB", partial(_rounds, 80_000, 1), 5),
)  # fmt: skip
