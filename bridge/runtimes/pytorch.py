"""PyTorch as a runtime: its own dispatcher, observed by global hooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from bridge.runtimes.heading import heading, with_inputs
from bridge.runtimes.recording import Recording, Values, check_values, global_hooks, leaves, named, paths, trace_value
from bridge.trace import Event, Trace

NAME = "pytorch"


@contextmanager
def record(models: torch.nn.Module | Mapping[str, torch.nn.Module], *, values: Values = "none") -> Iterator[Recording]:
    """Records the calls that this thread makes of ``models`` (one, or several by name) and of what is below them.

    An event's values are as they were at the event, also if they are changed in place later. Yields a :class:`Recording`; its
    ``trace`` is there after the block, also if the block raised.
    """
    check_values(values)
    roots = named(models)
    known = paths(roots)
    recording = Recording(NAME, values)
    header = heading(NAME, torch.__version__, roots, len(known), values)
    events: list[Event] = []
    open_calls: list[tuple[torch.nn.Module, int]] = []
    calls = 0

    def note(module: torch.nn.Module, phase: str, call: int, parent: int, value: Any) -> None:
        # A module that is called inside the model but is no part of it has no path.
        path = known.get(module, f"?{type(module).__name__}")
        items = tuple(trace_value(leaf, values) for leaf in leaves(value))
        events.append(Event(len(events), path, type(module).__name__, phase, call, parent, values=items))

    def before(module: torch.nn.Module, args: tuple[Any, ...]) -> None:
        nonlocal calls
        if module not in known and not open_calls:
            return
        parent = open_calls[-1][1] if open_calls else -1
        open_calls.append((module, calls))
        calls += 1
        note(module, "pre", calls - 1, parent, args)

    def after(module: torch.nn.Module, result: Any) -> None:
        call = close(module)
        if call is not None:
            note(module, "forward", call, open_calls[-1][1] if open_calls else -1, result)

    def failed(module: torch.nn.Module) -> None:
        close(module)

    def close(module: torch.nn.Module) -> int | None:
        for index in range(len(open_calls) - 1, -1, -1):
            if open_calls[index][0] is module:
                call = open_calls[index][1]
                del open_calls[index:]
                return call
        return None

    try:
        with global_hooks(before, after, failed, list(known)):
            yield recording
    finally:
        recording._trace = with_inputs(Trace(NAME, events, roots, header))
