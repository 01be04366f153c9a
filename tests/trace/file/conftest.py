"""Traces with every sort of value, and their files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bridge.trace import Event, Header, Trace, Value
from bridge.trace.event import digest
from bridge.trace.file import write

HEADER = Header(
    "pytorch", "2.13.0+cpu", "0.1.0", "2.13.0+cpu", "3.11.7", None, "cpu", 2, 2**64 - 1, 3, "digest", ("",),
    {"0.0": "0" * 32}, {"conv1.weight": "1" * 32},
)  # fmt: skip


def tensor(content: object, *, full: bool = False, hashed: bool = True) -> Value:
    array = np.asarray(content)
    made = digest(array) if hashed else None
    return Value("tensor", array.shape, str(array.dtype), "cpu", made, data=array if full else None)


def every_value(*, full: bool = False) -> tuple[Value, ...]:
    """Return a value of each kind."""
    return (
        tensor(np.arange(6, dtype=np.float32).reshape(2, 3), full=full),
        tensor(np.zeros((0, 4), np.int64), full=full),
        tensor(np.float64(3.5), full=full),
        tensor([1 + 2j, 3], full=full),
        tensor([True], full=full),
        Value("tensor", (5,), "bfloat16", "cuda:1"),
        Value("none"),
        Value("object"),
        Value("int", literal=-(2**70)),
        *(Value("float", literal=number) for number in (0.1, 1e-5, 1e16, -0.0, 5e-324, float("inf"), float("-inf"))),
        Value("bool", literal=True),
        Value("str", literal='quote " back \\ line \n \x00 \x7f é 漢 \U0001f600 \ud800 ,"digest":"'),
        Value("str", literal="!"),
        Value("str"),
    )


def every_event(*, full: bool = False) -> list[Event]:
    """Return events of each phase and scope, with paths that need escapes."""
    return [
        Event(0, "", "Net", "pre", 0, -1, values=every_value(full=full)),
        Event(1, 'odd " path\\é', "Block<1>", "pre", 1, 0, 3, "module"),
        Event(2, 'odd " path\\é', "Block<1>", "forward", 1, 0, values=(tensor([1.0], full=full),)),
        Event(3, "act", "ReLU", "bypass", -1, 0, values=(tensor([2.0], full=full),)),
        Event(4, "", "Net", "forward", 0, -1, values=(tensor([1.0], full=full), Value("none"))),
    ]


def calls(count: int, salt: str = "", runtime: str = "pytorch") -> Trace:
    """Return ``count`` calls of twelve modules, two events each, with different digests that depend on ``salt``."""
    events = []
    for call in range(count):
        path = f"layer{call % 12}"
        for phase in ("pre", "forward"):
            value = Value(
                "tensor", (1, 64), "float32", "cpu", digest(np.frombuffer(f"{salt}{call}{phase}".encode(), "u1"))
            )
            events.append(Event(len(events), path, "Linear", phase, call, -1, values=(value,)))
    return Trace(runtime, events)


@pytest.fixture
def trace() -> Trace:
    return Trace("pytorch", every_event(), header=HEADER)


@pytest.fixture
def file(trace: Trace, tmp_path: Path) -> Path:
    """Write ``trace`` to a file and return its path."""
    path = tmp_path / "a.jsonl"
    write(path, trace)
    return path
