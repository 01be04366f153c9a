"""A common trap for TorchSharp users: forward() runs a module, but none of its hooks (C-3)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rich.table import Table
from torch import nn

from bridge.samples.trap import TrapConv
from bridge.trace import Trace
from bridge.trace.diff import Diff, diff

TYPE = "Mtcnn.TrapConv"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to run the convolution: how often its forward hook fired, and how many parameters the hook counted."""

    runtime: str
    way: str
    fired: int
    parameters: int
    trace: Trace


def spring(assembly: Path) -> tuple[list[Attempt], Diff]:
    """Runs a convolution by call and by forward, in PyTorch and in .NET, with a forward hook registered from Python.

    Gives the four attempts, and the difference between PyTorch's trace by call and the C# model's by forward().
    """
    import bridge
    from bridge.runtimes import dotnet, pytorch

    def loaded(by_call: bool) -> nn.Module:
        return bridge.load(assembly, TYPE, by_call)

    attempts = [
        _attempt("PyTorch", "conv(x)", TrapConv(by_call=True), pytorch.record),
        _attempt("PyTorch", "conv.forward(x)", TrapConv(by_call=False), pytorch.record),
        _attempt(".NET", "conv.call(x)", loaded(by_call=True), dotnet.record),
        _attempt(".NET", "conv.forward(x)", loaded(by_call=False), dotnet.record),
    ]
    return attempts, diff(attempts[0].trace, attempts[3].trace)


def _attempt(runtime: str, way: str, model: nn.Module, record: Callable[..., AbstractContextManager[Any]]) -> Attempt:
    counts: list[int] = []

    def count(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
        counts.append(sum(parameter.numel() for parameter in module.parameters()))

    handle = model.get_submodule("conv").register_forward_hook(count)
    try:
        with torch.no_grad(), record(model) as recording:
            model(torch.ones(3, 640, 640))
    finally:
        handle.remove()
    return Attempt(runtime, way, len(counts), sum(counts), recording.trace)


def table(attempts: list[Attempt]) -> Table:
    """The four attempts as a table for the terminal."""
    shown = Table("runtime", "the model runs", "its forward hook", title="The trap: a hook that counts parameters")
    for attempt in attempts:
        if attempt.fired:
            said = f"[green]fired {attempt.fired} time{'s' * (attempt.fired > 1)}, counted {attempt.parameters:,}[/]"
        else:
            said = "[red]never fired[/]"
        shown.add_row(attempt.runtime, attempt.way, said)
    return shown


def as_expected(attempts: list[Attempt]) -> bool:
    """Whether each runtime does what the contract says: a call fires the hook once, forward() never (C-3)."""
    return [attempt.fired for attempt in attempts] == [1, 0, 1, 0]
