"""Reading a trace file."""

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
    """The trace that a file holds. The text is read in blocks and never held; events are kept as columns, elements stay in their file.

    Nothing in the file is executed. Where the file of values is missing, values have their digests only. Raises a
    TraceFileError; where the file is cut off, a TraceCutOffError whose ``trace`` is what could be read.
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
    """The events of a file one by one, without elements, in the memory of one block. Raises what :func:`read` raises."""
    path = Path(path)
    with open_file(path) as file:
        lines = Lines(path, file)
        parser = Parser()
        count = 0
        for chunk in blocks(lines, parser):
            for event in chunk.columns.events():
                # A block numbers its events from 0 where they are numbered as they should be.
                yield replace(event, seq=count + event.seq) if chunk.columns.seq is None else event
            count += len(chunk.columns)
        lines.check(count)


def build_trace(lines: Lines, chunk: Chunk) -> Trace:
    """The trace of a file's columns; elements are found in the file of values, if it is there."""
    columns = chunk.columns
    place = beside(lines.path)
    if chunk.stored is not None and place.exists():
        columns = replace(columns, data=StoredElements(place, columns, chunk.stored))
    return Trace.of_columns(lines.header.runtime, columns, lines.header.roots, lines.header)


def finish(lines: Lines, trace: Trace) -> None:
    """Checks the footer; an error that the file is cut off takes the trace along."""
    try:
        lines.check(len(trace), trace.columns.known())
    except TraceCutOffError as error:
        error.trace = trace
        raise


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """The open file; an error of the system becomes a TraceFileError."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise TraceFileError(path, f"cannot be read ({error.strerror or error})") from error
