"""TorchSharp itself in Python's process, on torch 2.10 to 2.12: ``--only inprocess-mlp``; Bridge.Torch beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import torch
from bench_calls import Mlp, counterparts, hook_all
from compilation import compile_source
from harness import Figure, Samples, in_turn
from torch import nn

import bridge
from bridge.samples.resnet import ResNet18
from bridge.torchsharp.process import TorchSharpProcess
from bridge.torchsharp.process.library_search import choose_library, search

ROOT = Path(__file__).parents[1]
MLP = ROOT / "benchmarks" / "models" / "Mlp.cs"
RESNET = ROOT / "dotnet" / "samples" / "Vision"
IN_PROCESS = "torchsharp-in-process"


@cache
def _library() -> Path:
    with TorchSharpProcess() as host:
        return choose_library(search(host, None, None)).path


def _mlp(runtime: str) -> Samples:
    made = compile_source("InProcessMlp", MLP.read_text(encoding="utf-8"), [_library()])
    model = bridge.load(made, "BenchmarkModels.Mlp", 12, 64, runtime=runtime)
    return _bare(model, Mlp(12, 64), torch.randn(1, 64))


def _resnet(hooked: bool) -> Samples:
    source = (RESNET / "ResNet18.cs").read_text(encoding="utf-8")
    made = compile_source("InProcessResNet", source, [_library()], [RESNET / "BasicBlock.cs"])
    model, counterpart = bridge.load(made, "Vision.ResNet18", runtime=IN_PROCESS), ResNet18()
    if hooked:
        hook_all(model, counterpart)
    return _bare(model, counterpart, torch.rand(1, 3, 224, 224))


@torch.no_grad()
def _bare(model: nn.Module, counterpart: nn.Module, x: torch.Tensor) -> Samples:
    model, counterpart, x = counterparts(model, counterpart, x)
    return in_turn(lambda: model(x), lambda: counterpart(x))


def _figure(name: str, what: str, measure: Callable[[], Samples], goal: float | None) -> Figure:
    return Figure(name, what, "its PyTorch counterpart", "us", measure, goal, long=True)


FIGURES = (
    _figure(
        "inprocess-mlp", "12-layer MLP, hidden 64, batch 1, no_grad, on TorchSharp in Python's process",
        lambda: _mlp(IN_PROCESS), 0.6,
    ),
    _figure("inprocess-mlp-facade", "the same assembly on Bridge.Torch", lambda: _mlp("dotnet"), None),
    _figure("inprocess-resnet", "ResNet-18 at 224, batch 1, on TorchSharp in Python's process", lambda: _resnet(False), 1.02),
    _figure("inprocess-resnet-hooks", "the same with a Python hook on every module", lambda: _resnet(True), 1.1),
)  # fmt: skip
