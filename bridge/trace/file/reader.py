"""The reader of trace files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from bridge.trace import Trace
from bridge.trace.event import Event
from bridge.trace.file.blocks import Chunk, Lines, Parser, blocks, join_chunks
from bridge.trace.file.elements import StoredElements, beside
from bridge.trace.file.errors import TraceCutOffError, TraceFileError


def read(path: str | os.PathLike[str]) -> Trace:
    """Read a trace from a file.

    Elements of tensors are read on access, from the file of values beside the trace. Without that file, tensors have no elements. Nothing
    in the files is executed. Raises TraceFileError. For a truncated file, the error is a TraceCutOffError, whose ``trace`` has the events
    that could be read, or is None if the header is incomplete.
    """
    path = Path(path)
    with open_file(path) as file:
        lines = Lines(path, file)
        parser = Parser()
        chunks = list(blocks(lines, parser))
        trace = build_trace(lines, join_chunks(chunks, parser.tables))
        finish(lines, trace)
    return trace


def scan(path: str | os.PathLike[str]) -> Iterator[Event]:
    """Yield the events of a file, without elements. Only a block of the file is in memory at a time. Raises TraceFileError."""
    path = Path(path)
    with open_file(path) as file:
        lines = Lines(path, file)
        parser = Parser()
        count = 0
        for chunk in blocks(lines, parser):
            for event in chunk.columns.events():
                # Without a column ``seq``, the events of each block are numbered from 0.
                yield replace(event, seq=count + event.seq) if chunk.columns.seq is None else event
            count += len(chunk.columns)
        lines.check(count)


def build_trace(lines: Lines, chunk: Chunk) -> Trace:
    """Return the trace with a file's columns. The elements of tensors are read from the file of values, if it exists."""
    columns = chunk.columns
    place = beside(lines.path)
    if chunk.stored is not None and place.exists():
        columns = replace(columns, data=StoredElements(place, columns, chunk.stored))
    return Trace.of_columns(lines.header.runtime, columns, lines.header.roots, lines.header)


def finish(lines: Lines, trace: Trace) -> None:
    """Compare a trace with the footer of its file. Raises the exceptions of :meth:`Lines.check`, and sets ``TraceCutOffError.trace``."""
    try:
        lines.check(len(trace), trace.columns.known())
    except TraceCutOffError as error:
        error.trace = trace
        raise


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for a ``with`` block. Raises TraceFileError for an OSError, even one that the block raises."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise TraceFileError(path, f"cannot be read ({error.strerror or error})") from error
