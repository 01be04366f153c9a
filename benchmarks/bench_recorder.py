"""The recorder for programs on TorchSharp, with the TorchSharp of ``BRIDGE_TORCHSHARP``: ``--only recorder-relu``."""

from __future__ import annotations

import os
import statistics
from functools import cache
from pathlib import Path
from unittest.mock import patch

import torch
from compilation import compile_source
from harness import FEW, ROUNDS, Figure, Samples

import bridge
from bridge.clr.find import assemblies
from bridge.torchsharp.process import TorchSharpProcess
from bridge.torchsharp.process.library_search import choose_library, search

PROCESSES = Path(__file__).parent / "processes"
SAMPLES = Path(__file__).parents[1] / "dotnet" / "samples" / "Vision"
COUNT = 101


@cache
def _library() -> Path:
    with TorchSharpProcess() as host:
        return choose_library(search(host, None, None)).path


def _model(name: str, *more: Path) -> torch.nn.Module:
    """Load the class in the file of that name, in the process of TorchSharp."""
    library, (folder, _) = _library(), assemblies.folder()
    own = [folder / "Bridge.Hooks.dll", folder / "Bridge.TorchSharp.dll"]
    source = (PROCESSES / f"{name}.cs").read_text(encoding="utf-8")
    made = compile_source(name, source, [library, *own], [PROCESSES / "Clock.cs", *more])
    return bridge.load(made, f"BenchmarkModels.{name}", runtime=f"torchsharp:{library}")


@cache
@torch.no_grad()
def _rounds() -> list[tuple[float, ...]]:
    """Return the nanoseconds of a call of a layer without and with a recording, and of a module with a child, by rounds."""
    times: list[tuple[float, ...]] = _model("Recorder")(torch.zeros(COUNT)).tolist()
    return times


@cache
@torch.no_grad()
def _overheads(kind: str) -> list[tuple[float, ...]]:
    """Return the nanoseconds of a module's call as it is and with a recording or a registry, of empty modules and of an MLP, by rounds."""
    model = _model("Overheads")
    _restart(model)  # what was compiled for other hooks is slower for these
    # The process of TorchSharp starts without profiles, which a program has by default.
    with patch.dict(os.environ, DOTNET_TieredPGO="1"):
        times: list[tuple[float, ...]] = model(torch.full([COUNT], float(kind == "registry"))).tolist()
    _restart(model)
    return times


def _restart(model: torch.nn.Module) -> None:
    """End the process of the model; its next call starts another one."""
    model.__dict__["_model"].exchange.host.close()


@cache
@torch.no_grad()
def _resnets() -> list[tuple[float, ...]]:
    """Return the nanoseconds of a call as it is, with a recording, and with one with digests, by rounds."""
    model = _model("RecordedResNet", SAMPLES / "ResNet18.cs", SAMPLES / "BasicBlock.cs")
    times: list[tuple[float, ...]] = model(torch.zeros(ROUNDS)).tolist()
    return times


def _resnet(column: int) -> Samples:
    return Samples([times[column] / 1e6 for times in _resnets()], [times[0] / 1e6 for times in _resnets()])


def _added(kind: str) -> Samples:
    return Samples([times[1] - times[0] for times in _overheads(kind)])


def _mlp() -> Samples:
    return Samples([times[3] for times in _overheads("recording")], [times[2] for times in _overheads("recording")])


@torch.no_grad()
def _attach() -> Samples:
    model = _model("Attaching")
    times = []
    for _ in range(FEW):
        _restart(model)
        times.append(model(torch.zeros(10)).tolist())
    again = statistics.median(milliseconds for run in times for milliseconds in run[1:])
    return Samples([run[0] for run in times], said=f"{again:.1f} ms once more")


def _relu() -> Samples:
    return Samples([times[1] for times in _rounds()], [times[0] for times in _rounds()])


def _parent() -> Samples:
    return Samples([times[3] - times[2] for times in _rounds()], [times[1] - times[0] for times in _rounds()])


FIGURES = (
    Figure(
        "recorder-relu", "a relu of one element in TorchSharp's process, recorded", "the same, not recorded", "ns", _relu, 1.3, long=True,
    ),
    Figure(
        "recorder-resnet", "a call of ResNet-18 at 224, batch 1, in TorchSharp's process, recorded", "the same, not recorded", "ms",
        lambda: _resnet(1), 1.02, long=True,
    ),
    Figure(
        "recorder-digest", "a call of ResNet-18 at 224, batch 1, in TorchSharp's process, recorded with digests", "the same, not recorded",
        "ms", lambda: _resnet(2), 2, long=True,
    ),
    Figure(
        "recorder-mlp", "a layer of a 100-layer MLP, width 64, batch 16, in TorchSharp's process, recorded", "the same, not recorded", "ns",
        _mlp, 1.05, long=True,
    ),
    Figure(
        "recorder-call", "recording a call of a module that does nothing adds, structure only", None, "ns", lambda: _added("recording"), 60,
        long=True,
    ),
    Figure(
        "registry-call", "a HookRegistry without hooks adds to a call of a module that does nothing", None, "ns",
        lambda: _added("registry"), 20, long=True,
    ),
    Figure(
        "recorder-attach", "a recording begins on a model of 1,000 modules, first thing in a process", None, "ms", _attach, 100,
        long=True,
    ),
    Figure(
        "recorder-parent", "recording a call of a module with children, which may call them on other threads", "the same of a layer", "ns",
        _parent, 3, long=True,
    ),
)  # fmt: skip
