"""The comparison of traces: event pairs a second, in memory and from files, and how that scales."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from harness import Figure, Samples, rate, rates

from bridge.trace import Trace, Value
from bridge.trace.columns import DIGEST, Columns, Tables
from bridge.trace.diff import Diff, diff
from bridge.trace.file import diff_files, write

SMALL, LARGE, FILE = 1_000_000, 10_000_000, 500_000
LAYERS = 24


def trace(events: int, salt: int, tables: Tables | None = None) -> Trace:
    """Return a trace of calls of an MLP's layers, two events with a tensor each; ``salt`` varies the digests."""
    tables = tables or Tables()
    tensor = Value("tensor", (1, 64), "float32", "cpu", "0" * 32)
    form = tables.forms.number(tensor)
    paths = tables.paths.column([f"layers.{layer}" for layer in range(LAYERS)])
    number = np.arange(events, dtype=np.int32)
    call = number // 2
    digests = np.empty((events, 2), np.uint64)
    digests[:, 0], digests[:, 1] = number, salt
    zeros = np.zeros(events, np.int32)
    return Trace.of_columns(
        "benchmark",
        Columns(
            tables,
            paths[call % LAYERS],
            np.full(events, tables.types.number("Linear"), np.int32),
            (number % 2).astype(np.uint8),
            call,
            zeros - 1,
            zeros,
            zeros.astype(np.uint8),
            zeros + 1,
            zeros + form,
            digests.view(DIGEST).reshape(-1),
        ),
    )


def _compared(events: int, other: int) -> Callable[[], Diff]:
    """Return a function that compares two traces in memory; ``other`` is the salt of the second."""
    a, b = trace(events, 1), trace(events, other)
    found = diff(a, b)
    assert len(found.numeric) == (events if other != 1 else 0)
    return lambda: diff(a, b)


def _memory_equal() -> Samples:
    return rate(SMALL, _compared(SMALL, 1))


def _memory_other() -> Samples:
    return rate(SMALL, _compared(SMALL, 2))


def _linear() -> Samples:
    return rates(LARGE, _compared(LARGE, 1), SMALL, _compared(SMALL, 1))


def _files(other: int) -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "a.jsonl", Path(folder) / "b.jsonl"
        for file, salt in zip(files, (1, other), strict=True):
            write(file, trace(FILE, salt))
        assert len(diff_files(*files).numeric) == (FILE if other != 1 else 0)
        return rate(FILE, lambda: diff_files(*files))


def _diff(name: str, what: str, measure: Callable[[], Samples], goal: float | None = None) -> Figure:
    return Figure(name, what, None, "million event pairs/s", measure, goal, at_least=True)


FIGURES = (
    _diff("diff", "diff in memory, equal traces", _memory_equal, 5),
    Figure(
        "diff-linear", "diff in memory, 10 million events", "1 million events", "million event pairs/s", _linear, 0.8, at_least=True
    ),
    _diff("diff-values", "diff in memory, all values differing", _memory_other),
    _diff("files", "diff of two files with the same events", partial(_files, 1), 2),
    _diff("files-values", "diff of two files, all values differing", partial(_files, 2), 0.1),
)  # fmt: skip
