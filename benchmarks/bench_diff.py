"""Comparing traces: event pairs a second, in memory and from files, and how that scales."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from harness import ROUNDS, Figure

from bridge.columns import DIGEST, Columns, Tables
from bridge.diff import diff
from bridge.trace import Trace, Value
from bridge.trace_file import diff_files, write

SMALL, LARGE, FILE = 1_000_000, 10_000_000, 500_000
LAYERS = 24


def figures() -> Iterator[Figure]:
    """The figures of this file."""
    yield from _in_memory()
    with tempfile.TemporaryDirectory() as folder:
        yield from _files(Path(folder))


def trace(events: int, salt: int, tables: Tables | None = None) -> Trace:
    """Calls of the layers of an MLP, a pre and a forward event with a tensor each, every digest another one, and others by ``salt``."""
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


def _in_memory() -> Iterator[Figure]:
    rates = {}
    for events in (SMALL, LARGE):
        a, b = trace(events, 1), trace(events, 1)
        assert diff(a, b).same
        rates[events] = _rate(events, lambda a=a, b=b: diff(a, b))
    yield Figure("diff in memory, equal traces", rates[SMALL], None, "million event pairs/s", 5, at_least=True)
    yield Figure(
        "the same with 10 million events / with 1 million",
        rates[LARGE],
        rates[SMALL],
        "million event pairs/s",
        0.8,
        at_least=True,
    )
    a, b = trace(SMALL, 1), trace(SMALL, 2)
    assert len(diff(a, b).numeric) == SMALL
    yield Figure(
        "diff in memory, all values differing", _rate(SMALL, lambda: diff(a, b)), None, "million event pairs/s"
    )


def _files(folder: Path) -> Iterator[Figure]:
    for name, salt in (("a", 1), ("same", 1), ("other", 2)):
        write(folder / f"{name}.jsonl", trace(FILE, salt))
    a, same, other = (folder / f"{name}.jsonl" for name in ("a", "same", "other"))
    assert diff_files(a, same).same
    rate = _rate(FILE, lambda: diff_files(a, same))
    yield Figure("diff of files, equal events", rate, None, "million event pairs/s", 2, at_least=True)
    assert len(diff_files(a, other).numeric) == FILE
    rate = _rate(FILE, lambda: diff_files(a, other))
    yield Figure("diff of files, all values differing", rate, None, "million event pairs/s", 0.1, at_least=True)


def _rate(events: int, run: Callable[[], object]) -> float:
    """Million events a second, the median of the rounds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return events / statistics.median(times) / 1e6
