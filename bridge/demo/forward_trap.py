"""A demonstration that ``forward()`` runs a module, but none of its hooks."""

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
    """A way to run a convolution that has a hook.

    ``fired`` is the number of times that the hook fired, ``parameters`` the number of parameters that the hook counted.
    """

    runtime: str
    call: str
    fired: int
    parameters: int
    trace: Trace


def run_attempts(assembly: Path) -> tuple[list[Attempt], Diff]:
    """Run a convolution, which has a forward hook registered in Python, by ``call`` and by ``forward``, in PyTorch and in .NET.

    Returns the four attempts, and the diff between the traces of ``call`` in PyTorch and of ``forward`` in .NET.
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


def _attempt(runtime: str, call: str, model: nn.Module, record: Callable[..., AbstractContextManager[Any]]) -> Attempt:
    counts: list[int] = []

    def count(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
        counts.append(sum(parameter.numel() for parameter in module.parameters()))

    handle = model.get_submodule("conv").register_forward_hook(count)
    try:
        with torch.no_grad(), record(model) as recording:
            model(torch.ones(3, 640, 640))
    finally:
        handle.remove()
    return Attempt(runtime, call, len(counts), sum(counts), recording.trace)


def table(attempts: list[Attempt]) -> Table:
    """Return the four attempts as a table for the terminal."""
    rows = Table("runtime", "the model runs", "its forward hook", title="The trap: a hook that counts parameters")
    for attempt in attempts:
        if attempt.fired:
            result = f"[green]fired {attempt.fired} time{'s' * (attempt.fired > 1)}, counted {attempt.parameters:,}[/]"
        else:
            result = "[red]never fired[/]"
        rows.add_row(attempt.runtime, attempt.call, result)
    return rows


def as_expected(attempts: list[Attempt]) -> bool:
    """Return whether in both runtimes ``call`` fired the hook once and ``forward`` did not fire the hook."""
    return [attempt.fired for attempt in attempts] == [1, 0, 1, 0]
