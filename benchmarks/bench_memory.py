"""Memory: the cost of a model beyond its PyTorch counterpart, and the growth by rounds of registering hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from harness import FEW, Figure, Samples

_PROCESSES = Path(__file__).parent / "processes"
# glibc returns freed memory at once, so that only memory in use counts.
_MAPPED = {"MALLOC_MMAP_THRESHOLD_": "65536"}


def _sides(*arguments: str) -> Samples:
    rounds = [[_run(*arguments, side) for side in ("dotnet", "pytorch")] for _ in range(FEW)]
    return Samples([ours for ours, _ in rounds], [peer for _, peer in rounds])


def _resnet50(processes: int, calls: int, mapped: bool = False) -> Samples:
    """Return the means of two distributions, each over a number of processes, one per side at a time."""
    with ThreadPoolExecutor(2) as both:

        def ask(side: str, seed: int) -> Future[float]:
            return both.submit(_run, "resnet50", side, str(calls), str(seed), mapped=mapped)

        futures = [(ask("dotnet", seed), ask("pytorch", seed)) for seed in range(processes)]
    ours, peer = ([future.result() for future in side] for side in zip(*futures, strict=True))
    said = " against ".join(f"{min(found):.0f} to {max(found):.0f}" for found in (ours, peer))
    return Samples([fmean(ours)], [fmean(peer)], f"{said} in {processes} processes each")


def _peaks(model: str, batch: int) -> Samples:
    """Return the peaks of libtorch's own count. The resident memory is only reported: it depends on the allocator."""
    found = {side: _run("peaks", side, model, str(batch)) for side in ("dotnet", "pytorch")}
    said = f"resident {found['dotnet'][1]:.0f} against {found['pytorch'][1]:.0f} MB"
    return Samples([found["dotnet"][0]], [found["pytorch"][0]], said)


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
        "peak memory of a call of ResNet-50, batch 8, over the value before it, the mean of calls with other holes in glibc's heap: .NET",
        "PyTorch", "MB", partial(_resnet50, 20, 4), 1.1,
    ),
    Figure(
        "memory-resnet50-used", "the same, each tensor in pages of its own, so that only what is in use counts: .NET", "PyTorch", "MB",
        partial(_resnet50, 3, 2, mapped=True), 1.1,
    ),
    *(
        Figure(
            f"peak-{model}-{batch}", f"peak of what libtorch has given out in a call of {model}, batch {batch}, no_grad: .NET", "PyTorch",
            "MB", partial(_peaks, model, batch), goal,
        )
        for model, goal in (("resnet50", 1.25), ("resnet18", 1.25), ("vgg", 1.25), ("transformer", 1.25), ("densenet", None))
        for batch in (1, 8)
    ),
    Figure("rounds", "resident memory grown by 10,000 rounds of register, call, remove", None, "MB", partial(_rounds, 10_000, FEW), 5),
    Figure("rounds-80000", "the same by 80,000 rounds, no live handle left", None, "MB", partial(_rounds, 80_000, 1), 5),
)  # fmt: skip
