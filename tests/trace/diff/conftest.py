"""Traces as a runtime leaves them, made of trees of calls; and their differences, checked for what every diff must hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bridge.trace import Event, Trace, Value, digest
from bridge.trace.diff import KINDS, Diff, diff


@dataclass
class Node:
    """A call to be recorded: its children run in order; ``data`` is its result, ``given`` its argument."""

    path: str
    children: list[Node] = field(default_factory=list)
    given: object = 1.0
    data: object = 2.0
    phase: str = "call"


def tensor(content: object, *, full: bool = True, device: str = "cpu") -> Value:
    array = np.asarray(content, dtype=None if isinstance(content, np.ndarray) else np.float32)
    return Value("tensor", array.shape, str(array.dtype), device, digest(array), data=array if full else None)


def record(nodes: Sequence[Node], runtime: str = "pytorch", *, full: bool = True, device: str = "cpu") -> Trace:
    """Return the trace of the given calls, with one global hook in each phase (C-9)."""
    events: list[Event] = []
    count = 0

    def add(node: Node, phase: str, call: int, parent: int, content: object) -> None:
        kind = node.path.rpartition(".")[2].rstrip("0123456789").capitalize() or "Model"
        value = tensor(content, full=full, device=device)
        events.append(Event(len(events), node.path, kind, phase, call, parent, values=(value,)))

    def run(node: Node, parent: int) -> None:
        nonlocal count
        if node.phase == "bypass":
            for child in node.children:
                run(child, parent)
            add(node, "bypass", -1, parent, node.data)
            return
        call, count = count, count + 1
        add(node, "pre", call, parent, node.given)
        for child in node.children:
            run(child, call)
        add(node, "forward", call, parent, node.data)

    for node in nodes:
        run(node, -1)
    return Trace(runtime, events)


def model(*paths: str) -> list[Node]:
    return [Node("", [Node(path) for path in paths])]


def both(a: list[Node], b: list[Node], **options: float) -> Diff:
    result = diff(record(a), record(b, "dotnet"), **options)
    check_alignment(result)
    return result


def check_alignment(result: Diff) -> None:
    assert [x for x, _ in result.pairs if x is not None] == list(result.a)
    assert [y for _, y in result.pairs if y is not None] == list(result.b)
    assert all(x is not None or y is not None for x, y in result.pairs)
    for difference in result.structural + result.numeric:
        assert difference.kind in KINDS
        assert difference.message.endswith(".")
        assert difference.clause
        assert 0 <= difference.row < len(result.pairs)
