"""One recorded event inside .NET, against one callback into Python by a pythonnet delegate that does nothing."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from harness import ROUNDS, Figure

from bridge.clr import start
from bridge.clr.building import build_project

PROJECT = Path(__file__).parent / "models" / "BenchmarkModels.csproj"


def figures() -> Iterator[Figure]:
    """The figures of this file."""
    host = start()
    import clr

    clr.AddReference(str(build_project(PROJECT, host.assemblies)))
    from BenchmarkModels import Loops
    from System import Array, Func, Object

    nothing = Func[Object, Array[Object], Object](lambda module, arguments: None)
    rounds = [
        (Loops.Record(20_000, False), Loops.Record(20_000, True), Loops.Call(nothing, 20_000)) for _ in range(ROUNDS)
    ]
    plain, tensor, delegate = (statistics.median(column) for column in zip(*rounds, strict=True))
    yield Figure(
        "recording one event, structure only / a pythonnet delegate doing nothing", plain, delegate, "ns", 1 / 20
    )
    yield Figure("the same with one tensor's metadata", tensor, delegate, "ns", 1 / 10)
