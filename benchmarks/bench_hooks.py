"""Hooks in C#: the cost of a pair compared with PyTorch's, of a call without hooks, and of many hooks."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from harness import ROUNDS, Figure, Samples, warm

from bridge.clr import start
from bridge.clr.compile.projects import build_project

PROJECT = Path(__file__).parent / "models" / "BenchmarkModels.csproj"
CALLS = 20_000


def _loops(pairs: int) -> Any:
    """Return warm loops over a C# module with a number of recording pairs."""
    host = start()
    import clr

    clr.AddReference(str(build_project(PROJECT, host.assemblies)))
    from BenchmarkModels import HookLoops

    loops = HookLoops(pairs)
    warm(lambda: (loops.Call(CALLS // max(pairs, 1)), loops.Forward(CALLS)))
    return loops


def _rounds(ours: Callable[[], float], peer: Callable[[], float]) -> Samples:
    pairs = [(ours(), peer()) for _ in range(ROUNDS)]
    return Samples([mine for mine, _ in pairs], [other for _, other in pairs])


def _pair() -> Samples:
    bare, single = _loops(0), _loops(1)
    nothing, counterpart = _Counterpart(0), _Counterpart(1)
    return _rounds(lambda: single.Call(CALLS) - bare.Call(CALLS), lambda: counterpart.call() - nothing.call())


def _added() -> Samples:
    # In a process of its own: after calls with hooks, the compiler optimizes for hooks.
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    return Samples(json.loads(done.stdout.splitlines()[-1]))


def _many(pairs: int) -> Samples:
    bare, single, many = _loops(0), _loops(1), _loops(pairs)
    return _rounds(
        lambda: (many.Call(CALLS // pairs) - bare.Call(CALLS)) / pairs, lambda: single.Call(CALLS) - bare.Call(CALLS)
    )


class _Counterpart(torch.nn.Module):
    """A PyTorch module that computes nothing, with a number of recording pairs."""

    def __init__(self, pairs: int) -> None:
        super().__init__()
        self.events: list[Any] = []
        for number in range(pairs):
            self.register_forward_pre_hook(lambda module, args, number=number: self.events.append((number, args, None)))
            self.register_forward_hook(lambda module, args, out, number=number: self.events.append((number, args, out)))

    def forward(self, x: Any) -> Any:
        return x

    def call(self) -> float:
        """Return the nanoseconds of one call."""
        self.events.clear()
        begin = time.perf_counter_ns()
        for _ in range(CALLS):
            self(1)
        return (time.perf_counter_ns() - begin) / CALLS


FIGURES = (
    Figure("pair", "a pre and a forward hook in C#, recording", "the same pair in PyTorch", "ns", _pair, 0.15),
    Figure("call", "what `call()` without hooks adds to a virtual call of `forward`", None, "ns", _added, 5),
    Figure("pairs-10", "one of 10 such pairs in C#", "one alone", "ns", partial(_many, 10), 1),
    Figure("pairs-100", "one of 100 such pairs in C#", "one alone", "ns", partial(_many, 100), 1),
)

if __name__ == "__main__":
    module = _loops(0)
    print(json.dumps([module.Call(5 * CALLS) - module.Forward(5 * CALLS) for _ in range(ROUNDS)]))
