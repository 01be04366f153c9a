"""A .NET model called from Python, compared with its PyTorch counterpart."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from harness import MANY, ROUNDS, SHORT, Figure, Samples, in_turn
from torch import nn

import bridge
from bridge.clr.find.assemblies import sample
from bridge.runtimes import dotnet, pytorch
from bridge.samples.mtcnn import RNet
from bridge.samples.resnet import ResNet18

PROJECT = Path(__file__).parent / "models" / "BenchmarkModels.csproj"
CALLS = 20  # in one recording
THREADS = 8
THREAD_CALLS = 20


class Mlp(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.Mlp."""

    def __init__(self, depth: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(*(layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.ReLU())))

    def forward(self, x: torch.Tensor) -> Any:
        return self.layers(x)


def mlp(width: int) -> tuple[nn.Module, nn.Module, torch.Tensor]:
    """Return an MLP of a width in .NET and in PyTorch, and an input."""
    return counterparts(bridge.load(PROJECT, "BenchmarkModels.Mlp", 12, width), Mlp(12, width), torch.randn(1, width))


def counterparts(
    model: nn.Module, counterpart: nn.Module, x: torch.Tensor
) -> tuple[nn.Module, nn.Module, torch.Tensor]:
    """Give both models equal weights, and check that their results are equal."""
    counterpart.load_state_dict(model.state_dict())
    model.eval()
    counterpart.eval()
    expected, found = counterpart(x), model(x)
    assert all(map(torch.equal, *((expected, found) if isinstance(expected, tuple) else ([expected], [found]))))
    return model, counterpart, x


@torch.no_grad()
def _bare(pair: tuple[nn.Module, nn.Module, torch.Tensor]) -> Samples:
    model, counterpart, x = pair
    return in_turn(lambda: model(x), lambda: counterpart(x))


@torch.no_grad()
def _hooked() -> Samples:
    model, counterpart, x = mlp(64)
    hook_all(model, counterpart)
    return in_turn(lambda: model(x), lambda: counterpart(x))


def hook_all(*models: nn.Module) -> None:
    """Register an empty forward hook on every module."""
    for model in models:
        for module in model.modules():
            module.register_forward_hook(lambda *_: None)


def training_step(model: nn.Module, x: torch.Tensor, target: torch.Tensor) -> Callable[[], None]:
    """Return a function that trains a model by one step of SGD."""
    optimizer = torch.optim.SGD(model.train().parameters(), lr=1e-6)

    def run() -> None:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), target).backward()
        optimizer.step()

    return run


def _training() -> Samples:
    model, counterpart, x = mlp(64)
    target = torch.randn(1, 64)
    return in_turn(training_step(model, x, target), training_step(counterpart, x, target), MANY, SHORT)


def _threads() -> Samples:
    model, counterpart, x = mlp(512)

    def calls(called: nn.Module) -> None:
        with torch.no_grad():  # grad mode is thread-local
            for _ in range(THREAD_CALLS):
                called(x)

    def throughput(called: nn.Module) -> float:
        threads = [threading.Thread(target=calls, args=(called,)) for _ in range(THREADS)]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return THREADS * THREAD_CALLS / (time.perf_counter() - begin)

    for side in (model, counterpart) * 3:
        throughput(side)
    rounds = [(throughput(model), throughput(counterpart)) for _ in range(ROUNDS)]
    return Samples([ours for ours, _ in rounds], [peer for _, peer in rounds])


@torch.no_grad()
def _csharp_hooks(width: int, looks: bool) -> Samples:
    model, counterpart, x = mlp(width)
    hooked = bridge.load(PROJECT, "BenchmarkModels.HookedMlp", 12, width, looks)
    # The same tensors, since their addresses affect the time more than the hooks do.
    for copy, original in zip(hooked.modules(), model.modules(), strict=True):
        for name, parameter in original.named_parameters(recurse=False):
            setattr(copy, name, parameter)
    assert torch.equal(hooked(x), counterpart(x))
    return in_turn(lambda: hooked(x), lambda: model(x), MANY, SHORT)


@torch.no_grad()
def _traced(runtime: Any, which: int, width: int) -> Samples:
    pair = mlp(width)
    model, x = pair[which], pair[2]

    def bare() -> None:
        for _ in range(CALLS):
            model(x)

    def traced() -> None:
        with runtime.record(model):
            bare()

    return in_turn(traced, bare)


def _mlp_bare() -> Samples:
    return _bare(mlp(64))


def _rnet() -> Samples:
    with torch.no_grad():
        return _bare(counterparts(bridge.load(sample("Mtcnn.dll"), "Mtcnn.RNet"), RNet(), torch.rand(32, 3, 24, 24)))


def _resnet() -> Samples:
    with torch.no_grad():
        return _bare(
            counterparts(bridge.load(sample("Vision.dll"), "Vision.ResNet18"), ResNet18(), torch.rand(1, 3, 224, 224))
        )


def _call(name: str, what: str, measure: Callable[[], Samples], goal: float) -> Figure:
    return Figure(name, f"{what}: the .NET model called from Python", "its PyTorch counterpart", "us", measure, goal)


FIGURES = (
    _call("mlp", "12-layer MLP, hidden 64, batch 1, no_grad", _mlp_bare, 0.6),
    _call("rnet", "R-Net on 32 crops", _rnet, 1.02),
    _call("resnet", "ResNet-18 at 224, batch 1", _resnet, 1.02),
    Figure(
        "hooks", "a Python forward hook on every submodule of the .NET MLP, hidden 64", "the same hooks on its PyTorch counterpart",
        "us", _hooked, 1.0,
    ),
    Figure(
        "training", "a training step of the 12-layer MLP, hidden 64, batch 1, SGD: the .NET model", "its PyTorch counterpart", "us",
        _training, 0.9,
    ),
    Figure(
        "threads", f"{THREADS} Python threads that call one 12-layer MLP, hidden 512, batch 1, no_grad: the .NET model",
        "its PyTorch counterpart", "calls/s", _threads, 0.95, at_least=True,
    ),
    *(
        Figure(
            f"csharp-hooks-{width}", f"a C# forward hook on every module of the .NET MLP, hidden {width}", "the same model without hooks",
            "us", partial(_csharp_hooks, width, False), goal,
        )
        for width, goal in ((64, 1.1), (512, 1.02))
    ),
    *(
        Figure(
            f"csharp-hooks-looking-{width}", f"the same, hidden {width}, with hooks that look at the result, and so may keep it",
            "the same model without hooks", "us", partial(_csharp_hooks, width, True),
        )
        for width in (64, 512)
    ),
    *(
        Figure(
            name, f"structural trace of the .NET MLP, hidden {width}, {CALLS} calls a trace", "its bare calls", "us",
            partial(_traced, dotnet, 0, width), goal,
        )
        for name, width, goal in (("trace", 512, 1.05), ("trace-64", 64, 1.3))
    ),
    Figure(
        "trace-pytorch", "the same, hidden 512, of its PyTorch counterpart, by global hooks", "its bare calls", "us",
        partial(_traced, pytorch, 1, 512),
    ),
)  # fmt: skip
