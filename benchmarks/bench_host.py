"""The process of TorchSharp: the cost of a request, and of a tensor that is sent there and back.

Measures elapsed time instead of processor time, since half of the work is in the other process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import torch
from compilation import compile_source
from harness import FEW, ROUNDS, Figure, Samples

import bridge
from bridge.clr.find import assemblies
from bridge.torchsharp.process import TorchSharpProcess

SOURCE = Path(__file__).parent / "models" / "Alias.cs"
#: 10 MB of float32.
COUNT = 2_500_000


def _elapsed(run: Callable[[], object], number: int) -> float:
    """Return the microseconds of one of ``number`` calls."""
    begun = time.perf_counter()
    for _ in range(number):
        run()
    return (time.perf_counter() - begun) / number * 1e6


def _empty() -> Samples:
    with TorchSharpProcess() as host:
        _elapsed(lambda: host.ask("ping"), 3000)
        return Samples([_elapsed(lambda: host.ask("ping"), 1000) for _ in range(ROUNDS)])


@torch.no_grad()
def _round_trip() -> Samples:
    folder, _ = assemblies.folder()
    own = [folder / "Bridge.Hooks.dll", folder / "Bridge.Torch.dll"]
    library = compile_source("Alias", SOURCE.read_text(encoding="utf-8"), own)
    model = bridge.load(library, "BenchmarkModels.Alias", runtime="torchsharp")
    x, first, second = torch.randn(COUNT), torch.empty(COUNT), torch.empty(COUNT)
    assert torch.equal(model(x), x)
    # memcpy by one thread, as in the process; torch's copy_ would use several.
    source, there, back = (memoryview(tensor.numpy()).cast("B") for tensor in (x, first, second))

    def copied() -> None:
        there[:] = source
        back[:] = there

    for _ in range(3):
        _elapsed(lambda: model(x), 10)
        _elapsed(copied, 10)
    ours, peer = [], []
    for _ in range(4 * FEW):
        ours.append(_elapsed(lambda: model(x), 10))
        peer.append(_elapsed(copied, 10))
    return Samples(ours, peer)


FIGURES = (
    Figure(
        "host-empty", "an empty request to the process of TorchSharp, elapsed", None, "us", _empty, 100,
    ),
    Figure(
        "host-10mb", "a tensor of 10 MB to a model in the process of TorchSharp and back, elapsed",
        "two copies of it in memory", "us", _round_trip, 1.5,
    ),
)  # fmt: skip
