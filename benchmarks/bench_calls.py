"""A .NET model called from Python, against its PyTorch twin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from harness import Figure, microseconds
from torch import nn

import bridge
from bridge.clr.assemblies import sample
from bridge.runtimes import dotnet, pytorch
from bridge.samples.mtcnn import RNet

PROJECT = Path(__file__).parent / "models" / "BenchmarkModels.csproj"


class Mlp(nn.Module):
    """BenchmarkModels.Mlp in PyTorch."""

    def __init__(self, depth: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(*(layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.ReLU())))

    def forward(self, x: torch.Tensor) -> Any:
        return self.layers(x)


def figures() -> Iterator[Figure]:
    """The figures of this file."""
    torch.set_num_threads(1)
    with torch.no_grad():
        yield from _mlp()
        yield _net(
            "R-Net on 32 crops", bridge.load(sample("Mtcnn.dll"), "Mtcnn.RNet"), RNet(), torch.rand(32, 3, 24, 24), 20
        )
        try:
            from bridge.samples.resnet import ResNet18
        except ImportError:
            return
        x = torch.rand(1, 3, 224, 224)
        yield _net("ResNet-18 at 224, batch 1", bridge.load(sample("Vision.dll"), "Vision.ResNet18"), ResNet18(), x, 3)


def _mlp() -> Iterator[Figure]:
    model, twin, x = _pair(64)
    ours, peer = microseconds(lambda: model(x), lambda: twin(x), number=1000)
    yield Figure("12-layer MLP, hidden 64: .NET / PyTorch", ours, peer, "us", 0.8)
    for module in (*model.modules(), *twin.modules()):
        module.register_forward_hook(lambda *_: None)
    ours, peer = microseconds(lambda: model(x), lambda: twin(x), number=500)
    yield Figure("a Python forward hook on every submodule of it", ours, peer, "us", 1.5)

    model, twin, x = _pair(512)

    def traced(module: nn.Module, runtime: Any) -> Any:
        def run() -> None:
            with runtime.record(module):
                for _ in range(20):
                    module(x)

        return run

    bare, recorded = microseconds(lambda: [model(x) for _ in range(20)], traced(model, dotnet), number=5)
    yield Figure(
        "structural trace of the .NET MLP, hidden 512, 20 calls a trace / its bare calls", recorded, bare, "us", 1.1
    )
    bare, recorded = microseconds(lambda: [twin(x) for _ in range(20)], traced(twin, pytorch), number=5)
    yield Figure("the same in PyTorch, by global hooks", recorded, bare, "us")


def _pair(width: int) -> tuple[nn.Module, nn.Module, torch.Tensor]:
    model, twin = bridge.load(PROJECT, "BenchmarkModels.Mlp", 12, width), Mlp(12, width)
    twin.load_state_dict(model.state_dict())
    x = torch.randn(1, width)
    assert torch.equal(model(x), twin(x))
    return model, twin, x


def _net(name: str, model: nn.Module, twin: nn.Module, x: torch.Tensor, number: int) -> Figure:
    twin.load_state_dict(model.state_dict())
    model.eval()
    twin.eval()
    ours, peer = microseconds(lambda: model(x), lambda: twin(x), number=number)
    return Figure(f"{name}: .NET / PyTorch", ours, peer, "us", 1.02)
