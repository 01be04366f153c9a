"""The writer of trace files. A failed write never damages an existing trace."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from bridge.trace import SCHEMA, Header, Trace
from bridge.trace.columns import Columns, columns
from bridge.trace.event import digest
from bridge.trace.file import elements, encoder
from bridge.trace.file.blocks import LONGEST
from bridge.trace.file.errors import TraceFileError, TraceWriteError
from hook_contract.output.files import atomic_file


def write(path: str | os.PathLike[str], trace: Trace, *, header: Header | None = None) -> None:
    """Write a trace as JSON lines, and the elements of tensors to a safetensors file beside the trace.

    ``header`` is written instead of the trace's own header. Both files are written under temporary names and then renamed: even if the
    process is killed, either the old or the new trace exists, with its elements. Raises TraceWriteError if a file or a
    value cannot be written. Raises TraceValuesError if ``trace`` was read from a file and its elements can no longer be read.
    """
    path = Path(path)
    header = header or trace.header or Header(trace.runtime, roots=trace.roots)
    if header.schema != SCHEMA:
        raise TraceWriteError(path, f"this package writes schema version {SCHEMA}, not {header.schema}")
    arrays: dict[str, np.ndarray] = {}
    try:
        found = trace.columns
        if found.data:
            elements.check(path, found.data.values())
            found = _hashed(trace, found)
            arrays = _by_digest(found)
        replace_trace(path, lambda temporary: _write(temporary, path, header, found), arrays)
    except TraceFileError:
        raise
    except ValueError as error:
        raise TraceWriteError(path, str(error)) from error


def replace_trace(path: Path, write: Callable[[Path], object], arrays: Mapping[str, np.ndarray]) -> None:
    """Replace a trace file by the file that ``write`` writes to a temporary path. ``arrays``, by digest, go to the safetensors file.

    Raises TraceWriteError, and the errors of ``write``.
    """
    try:
        beside = elements.ElementsFile(path, arrays)
        with atomic_file(path) as temporary:
            write(temporary)
            beside.before()
    except OSError as error:
        raise TraceWriteError(path, f"cannot be written ({error.strerror or error})") from error
    with suppress(OSError):  # The new trace is complete: old elements that remain beside it are never read.
        beside.after()


def _write(temporary: Path, path: Path, header: Header, columns: Columns) -> None:
    state = hashlib.sha256()
    data = columns.data
    stored = data.__contains__ if data else (lambda _: False)
    with temporary.open("wb") as file:
        line = encoder.header_line(header)
        if len(line) > LONGEST:  # omit the digests of inputs, which the events have too
            line = encoder.header_line(replace(header, inputs={}))
        if len(line) > LONGEST:
            raise TraceWriteError(path, f"the header is too long: it has more than {LONGEST:,} bytes")
        file.write(line)
        lines: list[str] = []
        size = 0
        for text in encoder.event_lines(columns, stored):
            if len(text) > LONGEST:
                raise TraceWriteError(path, f"an event has too many values: its line has more than {LONGEST:,} bytes")
            lines.append(text)
            size += len(text)
            if size > 1 << 20:
                size = _flush(lines, file.write, state.update)
        _flush(lines, file.write, state.update)
        file.write(encoder.footer_line(len(columns), columns.known(), state.hexdigest()))


def _flush(lines: list[str], put: Callable[[bytes], object], digest: Callable[[bytes], object]) -> int:
    block = "".join(lines).encode("ascii")
    put(block)
    digest(block)
    lines.clear()
    return 0


def _by_digest(columns: Columns) -> dict[str, np.ndarray]:
    digests = columns.digests
    assert digests is not None
    arrays: dict[str, np.ndarray] = {}
    for position in columns.data:
        key = digests[position].tobytes().hex()
        if key not in arrays:
            arrays[key] = columns.data[position]
    return arrays


def _hashed(trace: Trace, found: Columns) -> Columns:
    """Add a digest to each tensor that has elements but no digest. Returns the columns."""
    forms = found.tables.forms.items
    if all(forms[number].hashed for number in found.form[list(found.data)].tolist()):
        return found
    return columns(
        replace(
            event,
            values=tuple(
                replace(value, digest=digest(value.data)) if value.data is not None and value.digest is None else value
                for value in event.values
            ),
        )
        for event in trace
    )
