"""A recorded event inside .NET, compared with an empty callback into Python; and digests, compared with Python's."""

from __future__ import annotations

import hashlib
import statistics
import time
from functools import partial
from pathlib import Path

from compilation import compile_source
from harness import ROUNDS, Figure, Samples

from bridge.clr import start
from bridge.clr.compile.projects import build_project

HERE = Path(__file__).parent
PROJECT = HERE / "models" / "BenchmarkModels.csproj"
CALLS = 20_000
BYTES = 1 << 20


def _event(tensor: bool) -> Samples:
    host = start()
    import clr

    clr.AddReference(str(build_project(PROJECT, host.assemblies)))
    from BenchmarkModels import Loops
    from System import Array, Func, Object

    nothing = Func[Object, Array[Object], Object](lambda module, arguments: None)
    rounds = [(Loops.Record(CALLS, tensor), Loops.Call(nothing, CALLS)) for _ in range(ROUNDS)]
    return Samples([event for event, _ in rounds], [call for _, call in rounds])


def _digest() -> Samples:
    host = start()
    import clr

    sources = [
        HERE / "processes" / "Clock.cs",
        HERE.parent / "dotnet" / "src" / "Bridge.TorchSharp" / "Recording" / "Blake2b.cs",
    ]
    source = (HERE / "processes" / "Digest.cs").read_text(encoding="utf-8")
    clr.AddReference(str(compile_source("Digest", source, [host.assemblies / "Bridge.Hooks.dll"], sources)))
    from BenchmarkModels import Digest

    elements = bytes(BYTES)

    def hashed() -> float:
        begun = time.thread_time_ns()
        hashlib.blake2b(elements, digest_size=16).hexdigest()
        return time.thread_time_ns() - begun

    rounds = [(Digest.Time(BYTES) / 1e3, hashed() / 1e3) for _ in range(ROUNDS)]
    ours, peer = ([times[side] for times in rounds] for side in (0, 1))
    speeds = " against ".join(f"{BYTES / statistics.median(times):.0f} MB/s" for times in (ours, peer))
    return Samples(ours, peer, said=speeds)


_DELEGATE = "one call of a pythonnet delegate that does nothing, warm"
FIGURES = (
    Figure("event", "recording one event in .NET, structure only", _DELEGATE, "ns", partial(_event, False), 1 / 20),
    Figure("event-tensor", "the same with one tensor's metadata", _DELEGATE, "ns", partial(_event, True), 1 / 10),
    Figure(
        "digest", "the digest of 1 MiB in a trace from TorchSharp", "the same by Python's hashlib", "us", _digest, 1.2
    ),
)
