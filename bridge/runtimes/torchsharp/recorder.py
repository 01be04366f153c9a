"""Recordings of models that run in a TorchSharp process. The process sends the events of each call, with the tensors' elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import torch

from bridge.runtimes.header import add_input_digests, make_header
from bridge.runtimes.recording import Recording, Values, check_values, leaves, paths, root_modules, trace_value
from bridge.torchsharp.process.remote_module import RemoteModule
from bridge.trace import Event, Trace

NAME: Final = "torchsharp"


def is_remote(module: torch.nn.Module) -> bool:
    """Return whether a module runs in a TorchSharp process."""
    return isinstance(module, RemoteModule)


@contextmanager
def record(models: torch.nn.Module | Mapping[str, torch.nn.Module], *, values: Values = "none") -> Iterator[Recording]:
    """Record the calls of ``models`` (one, or several by name), which run in a TorchSharp process, and of all modules inside them.

    Yields a :class:`Recording`, whose ``trace`` is available after the block, even if the block raised. For a call that raised, the trace
    has the arguments and the inner calls. Raises ValueError for unknown ``values``, TypeError for an object that is not the root of a model
    in a TorchSharp process, and RuntimeError if another recording of the model is active.
    """
    check_values(values)
    roots = root_modules(models)
    events: list[Event] = []
    with ExitStack() as listeners:
        for root, module in roots.items():
            if not isinstance(module, RemoteModule):
                raise TypeError(
                    f"'{root or 'the model'}' does not run in a TorchSharp process: record it in a separate bridge.record"
                )
            if path := module.__dict__["_path"]:
                raise TypeError(f"'{path}' is part of a model in a TorchSharp process: record the whole model")
            listeners.enter_context(_listen(module, _EventAppender(events, root, values)))
        recording = Recording(NAME, values)
        versions = dict.fromkeys(str(module.runtime) for module in roots.values())
        header = make_header(NAME, "; ".join(versions), roots, list(paths(roots)), values)
        try:
            yield recording
        finally:
            recording._trace = add_input_digests(Trace(NAME, events, roots, header))


@contextmanager
def _listen(module: RemoteModule, listener: Callable[..., None]) -> Iterator[None]:
    model = module.__dict__["_model"]
    if model.traced is not None:
        raise RuntimeError("a model in a TorchSharp process can only be in one recording at a time")
    model.traced = listener
    try:
        yield
    finally:
        model.traced = None


class _EventAppender:
    """A listener that appends the events of each call of a root to the events of the recording."""

    def __init__(self, events: list[Event], root: str, values: Values) -> None:
        self._events = events
        self._root = root
        self._values = values

    def __call__(self, entries: list[dict[str, Any]], unpack: Callable[[Any], Any]) -> None:
        first = 1 + max((event.call for event in self._events), default=-1)
        for entry in entries:
            path = ".".join(part for part in (self._root, entry["path"]) if part)
            items = tuple(
                trace_value(leaf, self._values) for leaf in leaves([unpack(value) for value in entry["values"]])
            )
            call, parent = first + entry["call"], entry["parent"]
            self._events.append(
                Event(
                    len(self._events),
                    path,
                    entry["type"],
                    entry["phase"],
                    call,
                    parent if parent < 0 else first + parent,
                    values=items,
                )
            )
