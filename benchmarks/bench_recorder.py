"""The recorder for programs that run on TorchSharp, on the TorchSharp that ``BRIDGE_TORCHSHARP`` names: ``--only recorder-relu``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch
from compiled import compiled
from harness import Figure, Samples

import bridge
from bridge.clr import assemblies
from bridge.host import Host
from bridge.host.library_search import chosen, search

SOURCE = Path(__file__).parent / "processes" / "Recorder.cs"
COUNT = 101


@cache
def _rounds() -> list[tuple[float, float]]:
    """Nanoseconds of a call without and with a recording, by rounds."""
    with Host() as host:
        library = chosen(search(host, None, None)).path
    folder, _ = assemblies.folder()
    own = [folder / "Bridge.Hooks.dll", folder / "Bridge.TorchSharp.dll"]
    made = compiled("Recorder", SOURCE.read_text(encoding="utf-8"), [library, *own])
    model = bridge.load(made, "BenchmarkModels.Recorder", runtime=f"torchsharp:{library}")
    with torch.no_grad():
        times: list[tuple[float, float]] = model(torch.zeros(COUNT)).tolist()
    return times


def _relu() -> Samples:
    return Samples([recorded for _, recorded in _rounds()], [bare for bare, _ in _rounds()])


def _event() -> Samples:
    return Samples([(recorded - bare) / 2 for bare, recorded in _rounds()])


FIGURES = (
    Figure(
        "recorder-relu", "a relu of one element in TorchSharp's process, recorded", "the same, not recorded", "ns", _relu, 1.3, long=True,
    ),
    Figure("recorder-event", "an event of that recording, structure only", None, "ns", _event, 200, long=True),
)  # fmt: skip
