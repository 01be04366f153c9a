"""Calls, training steps and hooks on a CUDA device as on the CPU, and the memory of calls there.

A call only enqueues work on the device; each round waits for the device at its end. Run by ``--only``, or ``--long`` on a machine with a
device.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from bench_calls import counterparts, hook_all, mlp, training_step
from harness import FEW, ROUNDS, Figure, Samples
from processes.resnet50 import PROJECT, ResNet50

import bridge

NUMBER = 100  # calls in a round


def _where() -> str:
    return f"{torch.cuda.get_device_name()}, torch {torch.__version__}"


def _to_cuda(model: torch.nn.Module, counterpart: torch.nn.Module, x: torch.Tensor) -> tuple[torch.nn.Module, ...]:
    return model.cuda(), counterpart.cuda(), x.cuda()


def _in_turn(ours: Callable[[], object], peer: Callable[[], object], rounds: int = ROUNDS) -> Samples:
    """Return the microseconds per call of each function, measured in turn until the device is done."""
    times: tuple[list[float], list[float]] = ([], [])
    sides = [(ours, times[0]), (peer, times[1])]
    for turn in range(-5, rounds):  # the first five are not counted
        for function, found in sides:
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(NUMBER):
                function()
            torch.cuda.synchronize()
            if turn >= 0:
                found.append((time.perf_counter() - begin) / NUMBER * 1e6)
        sides.reverse()
    return Samples(*times, said=_where())


@torch.no_grad()
def _calls(hooked: bool) -> Samples:
    model, counterpart, x = _to_cuda(*mlp(64))
    if hooked:
        hook_all(model, counterpart)
    return _in_turn(lambda: model(x), lambda: counterpart(x))


def _training() -> Samples:
    model, counterpart, x = _to_cuda(*mlp(64))
    target = torch.randn(1, 64, device="cuda")
    return _in_turn(training_step(model, x, target), training_step(counterpart, x, target))


@torch.no_grad()
def _resnets(batch: int) -> tuple[Any, ...]:
    small = torch.rand(1, 3, 32, 32)
    pair = counterparts(bridge.load(PROJECT, "BenchmarkModels.ResNet50"), ResNet50(), small)
    return *_to_cuda(*pair)[:2], torch.rand(batch, 3, 224, 224, device="cuda")


@torch.no_grad()
def _resnet() -> Samples:
    model, counterpart, x = _resnets(1)
    return _in_turn(lambda: model(x), lambda: counterpart(x), FEW)


def _peak(call: Callable[[], object]) -> float:
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    for _ in range(3):
        call()
    return (torch.cuda.max_memory_allocated() - before) / 2**20


def _peaks(ours: Callable[[], object], peer: Callable[[], object]) -> Samples:
    """Return the peak memory of a few calls on the device in MB, above the memory before them."""
    ours(), peer()
    rounds = [(_peak(ours), _peak(peer)) for _ in range(FEW)]
    return Samples([mine for mine, _ in rounds], [its for _, its in rounds], said=_where())


@torch.no_grad()
def _memory(batch: int) -> Samples:
    model, counterpart, x = _resnets(batch)
    return _peaks(lambda: model(x), lambda: counterpart(x))


def _training_memory() -> Samples:
    model, counterpart, x = _resnets(32)
    model.train(), counterpart.train()
    return _peaks(lambda: model(x).sum().backward(), lambda: counterpart(x).sum().backward())


def _figure(name: str, what: str, unit: str, measure: Callable[[], Samples], goal: float | None) -> Figure:
    return Figure(f"cuda-{name}", f"{what}: the .NET model", "its PyTorch counterpart", unit, measure, goal, long=True)


FIGURES = (
    _figure("mlp", "a call of the 12-layer MLP on CUDA, hidden 64, batch 1, no_grad", "us", partial(_calls, False), 1),
    _figure("hooks", "the same with a Python forward hook on every module", "us", partial(_calls, True), 1.25),
    _figure("training", "a training step of it, SGD", "us", _training, 1),
    _figure("resnet50", "a call of ResNet-50 at 224 on CUDA, batch 1, no_grad", "us", _resnet, 1.1),
    _figure("memory", "peak of CUDA memory in calls of ResNet-50, batch 32, no_grad", "MB", partial(_memory, 32), 1.25),
    _figure("memory-8", "the same, batch 8", "MB", partial(_memory, 8), 1.25),
    _figure("training-memory", "the same in training steps", "MB", _training_memory, 1.1),
)  # fmt: skip
