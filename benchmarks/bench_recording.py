"""One recorded event inside .NET, against one callback into Python by a pythonnet delegate that does nothing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from harness import ROUNDS, Figure, Samples

from bridge.clr import start
from bridge.clr.building import build_project

PROJECT = Path(__file__).parent / "models" / "BenchmarkModels.csproj"
CALLS = 20_000


def _event(tensor: bool) -> Samples:
    host = start()
    import clr

    clr.AddReference(str(build_project(PROJECT, host.assemblies)))
    from BenchmarkModels import Loops
    from System import Array, Func, Object

    nothing = Func[Object, Array[Object], Object](lambda module, arguments: None)
    rounds = [(Loops.Record(CALLS, tensor), Loops.Call(nothing, CALLS)) for _ in range(ROUNDS)]
    return Samples([event for event, _ in rounds], [call for _, call in rounds])


_DELEGATE = "one call of a pythonnet delegate that does nothing, warm"
FIGURES = (
    Figure("event", "recording one event in .NET, structure only", _DELEGATE, "ns", partial(_event, False), 1 / 20),
    Figure("event-tensor", "the same with one tensor's metadata", _DELEGATE, "ns", partial(_event, True), 1 / 10),
)
