"""Hooks in C#: what a pair costs next to PyTorch's, what a call without hooks adds, and how the cost grows with their number."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from harness import ROUNDS, Figure

from bridge.clr import start
from bridge.clr.building import build_project

PROJECT = Path(__file__).parent / "models" / "BenchmarkModels.csproj"
CALLS = 20_000


def figures() -> Iterator[Figure]:
    """The figures of this file."""
    host = start()
    import clr

    clr.AddReference(str(build_project(PROJECT, host.assemblies)))
    from BenchmarkModels import HookLoops

    bare, one = HookLoops.Bare(CALLS), HookLoops.Pairs(1, CALLS)
    peer = _pytorch(pairs=1) - _pytorch(pairs=0)
    yield Figure("a pre and a forward hook in C#, recording / the same pair in PyTorch", one - bare, peer, "ns", 0.15)
    forward = HookLoops.Forward(CALLS)
    yield Figure(
        "what `call()` without hooks adds to a virtual call of `forward`",
        bare - forward,
        None,
        "ns",
        5,
        note=f"{bare:.1f} ns - {forward:.1f} ns",
    )
    for pairs in (10, 100):
        many = (HookLoops.Pairs(pairs, CALLS // pairs) - bare) / pairs
        yield Figure(f"one of {pairs} such pairs in C# / one alone", many, one - bare, "ns", 1.0)


class Same(torch.nn.Module):
    """Computes nothing."""

    def forward(self, x: Any) -> Any:
        return x


def _pytorch(pairs: int) -> float:
    """Nanoseconds of one call of an empty module with that many recording pairs."""
    module = Same()
    events: list[Any] = []
    for number in range(pairs):
        module.register_forward_pre_hook(lambda module, args, number=number: events.append((number, args, None)))
        module.register_forward_hook(lambda module, args, out, number=number: events.append((number, args, out)))
    found = []
    for _ in range(ROUNDS + 1):
        events.clear()
        begin = time.perf_counter_ns()
        for _ in range(CALLS):
            module(1)
        found.append((time.perf_counter_ns() - begin) / CALLS)
    return statistics.median(found[1:])
