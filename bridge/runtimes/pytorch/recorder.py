"""Recordings of PyTorch modules, made with global hooks."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from bridge.mirror import is_mirror
from bridge.runtimes.binding import Arguments
from bridge.runtimes.header import add_input_digests, make_header
from bridge.runtimes.observer import observe_calls
from bridge.runtimes.recording import (
    Recording,
    Values,
    check_values,
    leaf_names,
    leaves,
    paths,
    root_modules,
    trace_value,
)
from bridge.trace import Event, Trace

NAME = "pytorch"


@contextmanager
def record(models: torch.nn.Module | Mapping[str, torch.nn.Module], *, values: Values = "none") -> Iterator[Recording]:
    """Record the calls of ``models`` (one, or several by name) and of all modules inside them.

    Records calls of this thread or asyncio task, and of tasks and ``asyncio.to_thread`` calls that this thread or task starts. The recorded
    elements of a tensor do not change if the tensor is changed in place later.

    Yields a :class:`Recording`, whose ``trace`` is available after the block, even if the block raised. Raises ValueError for unknown
    ``values``. Raises TypeError for an object that is not a module, and for .NET modules: only :mod:`bridge.runtimes.dotnet` sees their
    calls on threads of .NET.
    """
    with record_calls(models, values, NAME, torch.__version__) as recording:
        yield recording


@contextmanager
def record_calls(
    models: torch.nn.Module | Mapping[str, torch.nn.Module], values: Values, name: str, version: str
) -> Iterator[Recording]:
    """Record as :func:`record`. ``name`` and ``version`` are those of the runtime."""
    check_values(values)
    roots = root_modules(models)
    known = paths(roots)
    for module, path in known.items():
        if is_mirror(module):
            raise TypeError(f"'{path or 'the model'}' is a .NET module: record it with bridge.record")
    recording = Recording(name, values)
    header = make_header(name, version, roots, known, values)
    recorder = _PyTorchRecorder(known, values, recording.labels)
    try:
        with observe_calls(recorder, known):
            yield recording
    finally:
        recording._trace = add_input_digests(Trace(name, recorder.events, roots, header))


class _PyTorchRecorder:
    """A listener that collects events, and fills ``labels`` (:attr:`Recording.labels`). ``known`` has the modules' paths."""

    def __init__(
        self, known: Mapping[torch.nn.Module, str], values: Values, labels: dict[tuple[int, str], tuple[str, ...]]
    ) -> None:
        self.events: list[Event] = []
        self._labels = labels
        self._known = known
        self._values = values
        self._parents: list[int] = []
        self._lock = threading.Lock()

    def begin(self, module: torch.nn.Module, args: tuple[Any, ...], parent: int, root: bool) -> int:
        items = self._items(args)
        with self._lock:
            call = len(self._parents)
            self._parents.append(parent)
            self._append_event(module, "pre", call, items)
        if isinstance(args, Arguments):
            self._labels[call, "pre"] = args.names if all(map(_plain, args)) else tuple(_labels_of(args))
        return call

    def result(self, call: int, module: torch.nn.Module, result: Any) -> None:
        items = self._items(result)
        with self._lock:
            self._append_event(module, "forward", call, items)
        if not isinstance(result, torch.Tensor):
            self._labels[call, "forward"] = tuple(leaf_names(result))

    def failed(self, call: int, module: torch.nn.Module) -> None:
        """Do nothing: a call that raised has no ``forward`` event."""

    def _items(self, value: Any) -> tuple[Any, ...]:
        return tuple(trace_value(leaf, self._values) for leaf in leaves(value))

    def _append_event(self, module: torch.nn.Module, phase: str, call: int, items: tuple[Any, ...]) -> None:
        kind = type(module).__name__
        # A module that is called inside the model without being part of it has no path.
        path = self._known.get(module, f"?{kind}")
        self.events.append(Event(len(self.events), path, kind, phase, call, self._parents[call], values=items))


def _labels_of(args: Arguments) -> list[str]:
    return [label for name, value in zip(args.names, args, strict=True) for label in leaf_names(value, name)]


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, (torch.Tensor, int, float, str))
