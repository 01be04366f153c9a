"""Traces of made-up calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bridge.trace import Event, Header, Trace, Value, digest


def tensor(content: Any, recorded: str = "digest", dtype: Any = np.float32, device: str = "cpu") -> Value:
    """Return a tensor's value. ``recorded`` is ``none``, ``digest`` or ``full``."""
    array = np.asarray(content, dtype)
    name = None if recorded == "none" else digest(array)
    return Value("tensor", array.shape, str(array.dtype), device, name, data=array if recorded == "full" else None)


@dataclass
class Call:
    """A call to be recorded. ``children`` run in order; ``given`` and ``result`` are its values."""

    path: str
    children: list[Call] = field(default_factory=list)
    given: tuple[Value, ...] = (tensor(1),)
    result: tuple[Value, ...] = (tensor(2),)
    #: ``call``; ``bypass``: a ``forward()`` that was run directly; ``silent``: one that left no event; ``raised``: no result.
    how: str = "call"
    #: The name of the class; by default it is made of the path.
    type: str = ""
    #: The hooks that record each phase: scope and number.
    hooks: tuple[tuple[str, int], ...] = (("global", 0),)


def record(calls: Sequence[Call], runtime: str = "pytorch", **header: Any) -> Trace:
    """Return the trace of the calls."""
    events: list[Event] = []
    count = 0

    def add(call: Call, phase: str, number: int, parent: int, values: tuple[Value, ...]) -> None:
        kind = call.type or call.path.rpartition(".")[2].rstrip("0123456789").capitalize() or "Model"
        for scope, hook in call.hooks[:1] if phase == "bypass" else call.hooks:
            events.append(Event(len(events), call.path, kind, phase, number, parent, hook, scope, values))

    def run(call: Call, parent: int) -> None:
        nonlocal count
        number = parent
        if call.how in ("call", "raised"):
            number, count = count, count + 1
            add(call, "pre", number, parent, call.given)
        for child in call.children:
            run(child, number)
        if call.how == "call":
            add(call, "forward", number, parent, call.result)
        elif call.how == "bypass":
            add(call, "bypass", -1, parent, call.result)

    for call in calls:
        run(call, -1)
    return Trace(runtime, events, header=Header(runtime, **header))


def net(*paths: str, **changes: Any) -> list[Call]:
    """Return a root call with a child for each path. ``changes`` are fields of the root."""
    return [Call("", [Call(path) for path in paths], **changes)]
