"""One run of one model: its trace, the gradients, and the buffers before and after."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from bridge.compare.errors import RunError, describe
from bridge.compare.io.containers import Form, form
from bridge.compare.io.inputs import described, spread
from bridge.compare.isolate.copies import version_of
from bridge.mirror import is_mirror
from bridge.output.sentences import indefinite
from bridge.runtimes import dotnet, pytorch
from bridge.runtimes.recording import Values, labelled, leaves, trace_value
from bridge.runtimes.torchsharp import recorder
from bridge.trace import Event, Trace


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a run left. ``gradients`` are by name (``input x``, then parameters; None where nothing flowed back), and
    None when no result requires a gradient; ``before`` and ``after`` are copies of the buffers by name. ``raised``
    says what ended it early; then ``trace`` is what was recorded until there, and empty where nothing ended it.
    ``labels`` are what the arguments and results of PyTorch's calls are called, ``results`` what the leaves of the
    model's result are called, without those that are None, ``form`` its containers. ``given`` are copies of the tensors
    among the arguments after ``forward``, and ``written`` of the parameters that it has changed."""

    runtime: str
    trace: Trace
    seconds: float
    before: Mapping[str, torch.Tensor]
    after: Mapping[str, torch.Tensor]
    gradients: Mapping[str, torch.Tensor | None] | None = field(default_factory=dict)
    raised: str = ""
    labels: Mapping[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    results: tuple[str, ...] = ()
    form: Form = ()
    given: Mapping[str, torch.Tensor] = field(default_factory=dict)
    written: Mapping[str, torch.Tensor] = field(default_factory=dict)


class ModelRaisedError(RunError):
    """A model raised in its ``forward`` or backward pass; ``run`` is what it did until there."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.raised)
        self.run = run


def run(
    model: torch.nn.Module,
    arguments: Mapping[str, Any],
    *,
    values: Values = "full",
    train: bool = False,
    backward: bool = False,
    seed: int = 0,
    choose: Callable[[Any], Any] = lambda result: result,
) -> Run:
    """Runs ``model`` once on ``arguments`` (by parameter name, handed over as :func:`bridge.compare.io.inputs.spread` says) and records it.

    ``train`` sets the mode, else it is eval; ``backward`` propagates a gradient drawn from ``seed`` back from every result.
    Random numbers (dropout) begin at ``seed``. ``choose`` gives of the model's result what is compared. Raises RunError when
    the model returns no tensor, and ModelRaisedError, which is one, when the model raises after the recording began.
    """
    runtime: Any = recorder if recorder.is_remote(model) else dotnet if is_mirror(model) else pytorch
    if backward and runtime is recorder:
        raise RunError("gradients do not cross from TorchSharp's own process: compare without --backward.")
    model.train(train)
    given = {name: _leaf(value, backward) for name, value in arguments.items()}
    args, kwargs = spread(model, given)
    before = _buffers(model)
    versions = {name: version_of(parameter) for name, parameter in model.named_parameters()}
    recording = None
    torch.manual_seed(seed)
    started = time.perf_counter()
    try:
        with torch.set_grad_enabled(backward), runtime.record(model, values=values) as recording:
            result = model(*args, **kwargs)
    except Exception as error:
        trace = None if recording is None else recording.trace
        words = _failure(runtime.NAME, trace, given, error)
        if trace is None:
            raise RunError(words) from error
        raise ModelRaisedError(
            Run(runtime.NAME, trace, time.perf_counter() - started, before, _buffers(model), {}, words)
        ) from error
    seconds = time.perf_counter() - started
    whole, result = result, choose(result)
    trace = recording.trace if result is whole else _returning(result, recording.trace, values)
    _check_result(runtime.NAME, result, whole)
    after = _buffers(model)
    left = {name: value.detach().clone() for name, value in given.items() if isinstance(value, torch.Tensor)}
    written = {
        name: parameter.detach().clone()
        for name, parameter in model.named_parameters()
        if version_of(parameter) != versions.get(name)
    }
    gradients: Mapping[str, torch.Tensor | None] | None = {}
    if backward:
        try:
            gradients = _gradients(runtime.NAME, model, given, result, seed)
        except RunError as error:
            raise ModelRaisedError(
                Run(runtime.NAME, trace, seconds, before, after, {}, str(error))
            ) from error.__cause__
    there = [name for name, leaf in zip(labelled(result), leaves(result), strict=True) if leaf is not None]
    held = form(result)
    return Run(
        runtime.NAME,
        trace,
        seconds,
        before,
        after,
        gradients,
        labels=recording.labels,
        results=tuple(there),
        form=held,
        given=left,
        written=written,
    )


def _returning(result: Any, trace: Trace, values: Values) -> Trace:
    """The trace, as if the root had returned ``result``."""
    events = list(trace)
    place = next(place for place in reversed(range(len(events))) if events[place].parent == -1)
    events[place] = replace(events[place], values=tuple(trace_value(leaf, values) for leaf in leaves(result)))
    return Trace(trace.runtime, events, trace.roots, trace.header)


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


def _check_result(runtime: str, result: Any, whole: Any) -> None:
    """Raises RunError where ``result``, what is compared of ``whole``, has no tensor, or what is no value."""
    found = leaves(result)
    for leaf in found:
        if leaf is not None and not isinstance(leaf, (torch.Tensor, bool, int, float, str)):
            raise RunError(
                f"{runtime}: the model returns {indefinite(type(leaf).__name__)}, which cannot be compared: "
                "return tensors, numbers, None, or tuples, lists and dictionaries of them."
            )
    if not any(isinstance(leaf, torch.Tensor) for leaf in found):
        raise RunError(
            f"{runtime}: the model returns {described(whole)}, without a tensor: there is nothing to compare."
        )


def _failure(runtime: str, trace: Trace | None, given: Mapping[str, Any], error: Exception) -> str:
    event = open_call(trace) if trace is not None else None
    place = None if event is None else f"{event.path or 'the root'} ({event.type})"
    inputs = ", ".join(f"{name}={described(value)}" for name, value in given.items())
    return f"{runtime}: {place or 'the model'} raised {describe(error)}\nThe inputs were {inputs or 'none'}."


def open_call(trace: Trace) -> Event | None:
    """The event of the innermost call that was entered and never left."""
    left = {event.call for event in trace if event.phase == "forward"}
    events = reversed(trace.events)
    return next((event for event in events if event.phase == "pre" and event.call not in left), None)
