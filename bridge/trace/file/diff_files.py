"""Comparison of two trace files. Files with equal event lines are compared as bytes, others as columns."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from bridge.trace import Trace
from bridge.trace.columns import Columns
from bridge.trace.diff import Diff, diff
from bridge.trace.diff.headers import differences
from bridge.trace.diff.prefilter import Pairs
from bridge.trace.file.blocks import Chunk, Lines, Parser, join_chunks
from bridge.trace.file.errors import TraceCutOffError, TraceFileError
from bridge.trace.file.reader import build_trace, finish, open_file, read
from hook_contract.output.sentences import plural


def diff_files(a: str | os.PathLike[str], b: str | os.PathLike[str], *, rtol: float = 0.0, atol: float = 0.0) -> Diff:
    """Compare two trace files as :func:`bridge.trace.diff` compares two traces.

    Files with equal event lines are compared without parsing, in little memory. In other files, equal blocks of lines are parsed once.
    Differences of inputs and weights in the headers are in :attr:`Diff.origins`. The events of a file without footer are compared with as
    many events of the other file, and :attr:`Diff.incomplete` says so. Raises TraceFileError, and ValueError for a negative or NaN
    tolerance.
    """
    diff(Trace(""), Trace(""), rtol=rtol, atol=atol)  # checks the tolerances
    a, b = Path(a), Path(b)
    if found := _diff_equal_files(a, b):
        return found
    traces, incomplete = _read_both(a, b)
    return replace(diff(*traces, rtol=rtol, atol=atol), incomplete=incomplete)


def _diff_equal_files(a: Path, b: Path) -> Diff | None:
    """Return the diff of two complete files with equal event lines, None for other files."""
    with open_file(a) as file, open_file(b) as other:
        left, right = Lines(a, file), Lines(b, other)
        try:
            footer = left.same_rest(other)
        except TraceFileError:  # _read_both raises the error with the number of the line
            footer = None
    if footer is None:
        return None
    traces = [
        Trace.of_columns(
            lines.header.runtime, partial(_columns, lines.path), lines.header.roots, lines.header, count=footer.events
        )
        for lines in (left, right)
    ]
    first, second = traces
    found = Diff(first, second, Pairs(first, second), compared=footer.known)
    origins = differences(left.header, right.header, found.names)
    return Diff(first, second, found.pairs, compared=footer.known, origins=origins)


def _columns(path: Path) -> Columns:
    return read(path).columns


def _read_both(a: Path, b: Path) -> tuple[tuple[Trace, Trace], tuple[str, ...]]:
    parser = Parser()
    chunks: tuple[list[Chunk], list[Chunk]] = ([], [])
    with open_file(a) as file, open_file(b) as other:
        sides = (Lines(a, file), Lines(b, other))
        seqs = [0, 0]
        at = [side.line for side in sides]
        rest = [b"", b""]
        while True:
            for index, side in enumerate(sides):
                rest[index] = rest[index] or side.take()
            blocks = _equal_line_counts(rest[0], rest[1]) if all(rest) else (rest[0], rest[1])
            if not any(blocks):
                break
            shared: Chunk | None = None
            for index, side in enumerate(sides):
                block = blocks[index]
                rest[index] = rest[index][len(block) :]
                if not block:
                    continue
                if shared is None or (block is not blocks[0] and block != blocks[0]) or seqs[0] != seqs[1]:
                    shared = parser.parse(block, side.decoder, at[index], seqs[index])
                chunks[index].append(shared)
                at[index] += len(shared.columns)
            for index in range(2):
                seqs[index] = at[index] - 2
        traces = [build_trace(side, join_chunks(part, parser.tables)) for side, part in zip(sides, chunks, strict=True)]
        return _cut(sides, traces)


def _cut(sides: tuple[Lines, Lines], traces: list[Trace]) -> tuple[tuple[Trace, Trace], tuple[str, ...]]:
    """Return both traces, without the events after the end of an incomplete one, and a sentence for each incomplete file."""
    sentences = []
    count = max(map(len, traces))
    for side, trace in zip(sides, traces, strict=True):
        try:
            finish(side, trace)
        except TraceCutOffError:
            count = min(count, len(trace))
            sentences.append(
                f"{side.path.name} is incomplete: it has no footer, so its recording did not end. "
                f"Compared are its {plural(len(trace), 'complete event')}."
            )
    left, right = (
        trace
        if len(trace) <= count
        else Trace.of_columns(trace.runtime, trace.columns.first(count), trace.roots, trace.header)
        for trace in traces
    )
    return (left, right), tuple(sentences)


def _equal_line_counts(x: bytes, y: bytes) -> tuple[bytes, bytes]:
    """Return the first lines of each of two blocks: as many as the block with fewer lines has."""
    if len(x) == len(y) and x == y:
        return x, y
    counts = x.count(b"\n"), y.count(b"\n")
    return _first_lines(x, counts[0], min(counts)), _first_lines(y, counts[1], min(counts))


def _first_lines(block: bytes, count: int, wanted: int) -> bytes:
    if count == wanted:
        return block
    return block[: len(block) - len(block.split(b"\n", wanted)[-1])]
