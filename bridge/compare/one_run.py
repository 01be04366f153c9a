"""One run of one model: its trace, the gradients, and the buffers before and after."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from bridge.compare.compare_errors import RunError, describe
from bridge.compare.inputs import described
from bridge.mirror import is_mirror
from bridge.runtimes import dotnet, pytorch
from bridge.runtimes.recording import Values, leaves
from bridge.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a run left. ``gradients`` are by name (``input x``, then parameters; None where nothing flowed back), and
    None when no result requires a gradient; ``before`` and ``after`` are copies of the buffers by name."""

    runtime: str
    trace: Trace
    seconds: float
    before: Mapping[str, torch.Tensor]
    after: Mapping[str, torch.Tensor]
    gradients: Mapping[str, torch.Tensor | None] | None = field(default_factory=dict)


def run(
    model: torch.nn.Module,
    arguments: Mapping[str, Any],
    *,
    values: Values = "full",
    train: bool = False,
    backward: bool = False,
    seed: int = 0,
) -> Run:
    """Runs ``model`` once on ``arguments`` (by parameter name, handed over by position) and records it.

    ``train`` sets the mode, else it is eval; ``backward`` propagates a gradient drawn from ``seed`` back from every result.
    Random numbers (dropout) begin at ``seed``. Raises RunError when the model raises or returns no tensor.
    """
    runtime = dotnet if is_mirror(model) else pytorch
    model.train(train)
    given = {name: _leaf(value, backward) for name, value in arguments.items()}
    before = _buffers(model)
    recording = None
    torch.manual_seed(seed)
    started = time.perf_counter()
    try:
        with torch.set_grad_enabled(backward), runtime.record(model, values=values) as recording:
            result = model(*given.values())
    except Exception as error:
        raise RunError(_failure(runtime.NAME, recording.trace if recording else None, given, error)) from error
    seconds = time.perf_counter() - started
    _check_result(runtime.NAME, result)
    after = _buffers(model)
    gradients: Mapping[str, torch.Tensor | None] | None = {}
    if backward:
        gradients = _gradients(runtime.NAME, model, given, result, seed)
    return Run(runtime.NAME, recording.trace, seconds, before, after, gradients)


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for torch's operators: with more, sums are split differently from run to run and bits are chance."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _leaf(value: Any, backward: bool) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    own = value.detach().clone()
    return own.requires_grad_() if backward and (own.is_floating_point() or own.is_complex()) else own


def _buffers(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: buffer.detach().clone() for name, buffer in model.named_buffers()}


def _gradients(
    runtime: str, model: torch.nn.Module, given: Mapping[str, Any], result: Any, seed: int
) -> dict[str, torch.Tensor | None] | None:
    """Gradients of inputs and parameters for a random direction: of a plain sum, a softmax's would be zero everywhere."""
    generator = torch.Generator().manual_seed(seed)
    roots, directions = [], []
    for leaf in leaves(result):
        if isinstance(leaf, torch.Tensor):
            direction = torch.randn(leaf.shape, generator=generator, dtype=torch.float64)
            if leaf.requires_grad:
                roots.append(leaf)
                directions.append(direction.to(leaf.device, leaf.dtype))
    if not roots:
        return None
    for parameter in model.parameters():
        parameter.grad = None
    try:
        torch.autograd.backward(roots, directions)
    except Exception as error:
        raise RunError(f"{runtime}: backward raised {describe(error)}") from error
    found: dict[str, torch.Tensor | None] = {}
    for name, value in given.items():
        if isinstance(value, torch.Tensor) and value.requires_grad:
            found[f"input {name}"] = value.grad
    found.update((name, parameter.grad) for name, parameter in model.named_parameters() if parameter.requires_grad)
    return found


def _check_result(runtime: str, result: Any) -> None:
    found = leaves(result)
    for leaf in found:
        if leaf is not None and not isinstance(leaf, (torch.Tensor, bool, int, float, str)):
            raise RunError(
                f"{runtime}: the model returns a {type(leaf).__name__}, which cannot be compared: "
                "return tensors, numbers, None, or tuples, lists and dictionaries of them."
            )
    if not any(isinstance(leaf, torch.Tensor) for leaf in found):
        raise RunError(
            f"{runtime}: the model returns {described(result)}, without a tensor: there is nothing to compare."
        )


def _failure(runtime: str, trace: Trace | None, given: Mapping[str, Any], error: Exception) -> str:
    place = _open_call(trace) if trace is not None else None
    inputs = ", ".join(f"{name}={described(value)}" for name, value in given.items())
    return f"{runtime}: {place or 'the model'} raised {describe(error)}\nThe inputs were {inputs or 'none'}."


def _open_call(trace: Trace) -> str | None:
    """The innermost call that was entered and never left."""
    left = {event.call for event in trace if event.phase == "forward"}
    for event in reversed(trace.events):
        if event.phase == "pre" and event.call not in left:
            return f"{event.path or 'the root'} ({event.type})"
    return None
