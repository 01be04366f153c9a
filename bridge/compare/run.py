"""One run of one model: its trace, its gradients and its buffers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from bridge.compare.errors import RunError, describe
from bridge.compare.io.containers import Form, form
from bridge.compare.io.inputs import describe_value, split_arguments
from bridge.compare.isolate.copies import leaf_copy, version_of
from bridge.compare.models.renamed_model import RenamedModel
from bridge.mirror import is_mirror
from bridge.runtimes import dotnet, pytorch
from bridge.runtimes.in_process import recorder as in_process
from bridge.runtimes.recording import Values, leaf_names, leaves, trace_value
from bridge.runtimes.torchsharp import recorder
from bridge.trace import Event, Trace
from bridge.trace.diff.phrases import path_name
from hook_contract.output.sentences import with_article


@dataclass(frozen=True, slots=True, eq=False)
class ModelRun:
    """The record of one run of a model."""

    runtime: str
    trace: Trace
    seconds: float
    #: Copies of the buffers, before and after the run.
    before: Mapping[str, torch.Tensor]
    after: Mapping[str, torch.Tensor]
    #: The gradients of inputs (``input x``) and parameters, by name; None for a tensor without a gradient. Empty without a backward
    #: pass. The field itself is None if no tensor of the result requires a gradient.
    gradients: Mapping[str, torch.Tensor | None] | None = field(default_factory=dict)
    #: The message of the exception that ended the run, or empty.
    raised: str = ""
    #: The names of arguments and results, by call number and phase (:attr:`bridge.runtimes.recording.Recording.labels`).
    labels: Mapping[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    #: The names of the values in the result, however nested, that are not None.
    result_names: tuple[str, ...] = ()
    #: The structure of the result.
    form: Form = ()
    #: Copies of the tensor arguments, after ``forward``.
    arguments: Mapping[str, torch.Tensor] = field(default_factory=dict)
    #: Copies of the parameters that ``forward`` has changed in place.
    changed: Mapping[str, torch.Tensor] = field(default_factory=dict)


class ModelRaisedError(RunError):
    """A model raised in ``forward`` or in the backward pass; ``run`` is the record up to that point."""

    def __init__(self, run: ModelRun) -> None:
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
) -> ModelRun:
    """Run ``model`` once on ``arguments`` (by parameter name, see :func:`bridge.compare.io.inputs.split_arguments`) and record it.

    The model runs in eval mode, or in train mode with ``train``. ``choose`` maps the model's result to the part to compare; its
    exceptions, such as InputsError, are not caught. ``backward`` propagates random gradients back from all tensors of that part that
    require a gradient. ``seed`` seeds these gradients and the model's random numbers. Raises ModelRaisedError if ``forward`` or the
    backward pass raises, and RunError if the model cannot be recorded, if its result cannot be compared, or if ``backward`` is true for a
    model that TorchSharp runs in a separate process.
    """
    own = model.model if isinstance(model, RenamedModel) else model
    runtime: Any = _runtime_of(own)
    if backward and runtime is recorder:
        raise RunError("TorchSharp runs in a separate process, which returns no gradients: compare without --backward.")
    model.train(train)
    leaf_arguments = {name: leaf_copy(value, backward) for name, value in arguments.items()}
    args, kwargs = split_arguments(own, leaf_arguments)
    before = _buffers(model)
    versions = {name: version_of(parameter) for name, parameter in model.named_parameters()}
    recording = None
    torch.manual_seed(seed)
    started = time.perf_counter()
    try:
        with torch.set_grad_enabled(backward), runtime.record(own, values=values) as recording:
            result = own(*args, **kwargs)
    except Exception as error:
        if recording is None:
            raise RunError(_describe_failure(runtime.NAME, None, leaf_arguments, error)) from error
        seconds, trace = time.perf_counter() - started, _with_python_names(model, recording.trace)
        words = _describe_failure(runtime.NAME, trace, leaf_arguments, error)
        raise ModelRaisedError(ModelRun(runtime.NAME, trace, seconds, before, _buffers(model), raised=words)) from error
    seconds = time.perf_counter() - started
    chosen, trace = choose(result), _with_python_names(model, recording.trace)
    if chosen is not result:
        trace = _with_result(trace, chosen, values)
    _check_result(runtime.NAME, chosen, result)
    ended = ModelRun(
        runtime.NAME,
        trace,
        seconds,
        before,
        _buffers(model),
        labels=recording.labels,
        result_names=tuple(
            name for name, leaf in zip(leaf_names(chosen), leaves(chosen), strict=True) if leaf is not None
        ),
        form=form(chosen),
        arguments={name: _copy(value) for name, value in leaf_arguments.items() if isinstance(value, torch.Tensor)},
        changed={
            name: _copy(parameter)
            for name, parameter in model.named_parameters()
            if version_of(parameter) != versions.get(name)
        },
    )
    if not backward:
        return ended
    try:
        return replace(ended, gradients=_gradients(runtime.NAME, model, leaf_arguments, chosen, seed))
    except RunError as error:
        failed = ModelRun(runtime.NAME, trace, seconds, before, ended.after, raised=str(error))
        raise ModelRaisedError(failed) from error.__cause__


def runtime_name(model: torch.nn.Module) -> str:
    """Return the name of the runtime that runs a model: ``pytorch``, ``dotnet``, ``torchsharp`` or ``torchsharp-in-process``."""
    name: str = _runtime_of(model.model if isinstance(model, RenamedModel) else model).NAME
    return name


def _runtime_of(model: torch.nn.Module) -> Any:
    if recorder.is_remote(model):
        return recorder
    if in_process.is_in_process(model):
        return in_process
    return dotnet if is_mirror(model) else pytorch


def _with_python_names(model: torch.nn.Module, trace: Trace) -> Trace:
    return model.rename(trace) if isinstance(model, RenamedModel) else trace


def _with_result(trace: Trace, result: Any, values: Values) -> Trace:
    """Return the trace with ``result`` as the result of the root."""
    events = list(trace)
    index = next(index for index in reversed(range(len(events))) if events[index].parent == -1)
    events[index] = replace(events[index], values=tuple(trace_value(leaf, values) for leaf in leaves(result)))
    return Trace(trace.runtime, events, trace.roots, trace.header)


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch's operators in one thread: several threads may split a sum differently in each run, which changes its last bits."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


def _buffers(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: _copy(buffer) for name, buffer in model.named_buffers()}


def _gradients(
    runtime: str, model: torch.nn.Module, arguments: Mapping[str, Any], result: Any, seed: int
) -> dict[str, torch.Tensor | None] | None:
    """Return the gradients of inputs and parameters for random gradients of the results; None if no result requires a gradient.

    The gradients of the results are random because with ones, the gradient of a softmax would be zero.
    """
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
    gradients: dict[str, torch.Tensor | None] = {}
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor) and value.requires_grad:
            gradients[f"input {name}"] = value.grad
    gradients.update((name, parameter.grad) for name, parameter in model.named_parameters() if parameter.requires_grad)
    return gradients


def _check_result(runtime: str, chosen: Any, result: Any) -> None:
    """Raise RunError if ``chosen``, the part of ``result`` to compare, has no tensor, or contains an object that a trace cannot hold."""
    values = leaves(chosen)
    for leaf in values:
        if leaf is not None and not isinstance(leaf, (torch.Tensor, bool, int, float, str)):
            raise RunError(
                f"{runtime}: the model returns {with_article(type(leaf).__name__)}, which cannot be compared: "
                "return tensors, numbers, strings, None, or tuples, lists and dictionaries of them."
            )
    if not any(isinstance(leaf, torch.Tensor) for leaf in values):
        raise RunError(
            f"{runtime}: the model returns {describe_value(result)}, without a tensor: return at least one tensor to compare."
        )


def _describe_failure(runtime: str, trace: Trace | None, arguments: Mapping[str, Any], error: Exception) -> str:
    event = open_call(trace) if trace is not None else None
    place = "the model" if event is None else f"{path_name(event.path)} ({event.type})"
    inputs = ", ".join(f"{name}={describe_value(value)}" for name, value in arguments.items())
    return f"{runtime}: {place} raised {describe(error)}\nThe inputs were {inputs or 'none'}."


def open_call(trace: Trace) -> Event | None:
    """Return the 'pre' event of the innermost call that has no 'forward' event; None if every call has one."""
    left = {event.call for event in trace if event.phase == "forward"}
    events = reversed(trace.events)
    return next((event for event in events if event.phase == "pre" and event.call not in left), None)
