"""Trace files: record now, compare later, on another machine.

JSON lines: a header (how the trace came to be), the events, a footer (their count and digest). ``bridge/contract/trace.schema.json``
is the schema. Equal events are equal bytes, whichever runtime's writer wrote them; elements of tensors are in a safetensors file beside it.
"""

from __future__ import annotations

from bridge.trace.file.diff_files import diff_files
from bridge.trace.file.elements import beside
from bridge.trace.file.errors import (
    DamagedTraceError,
    DuplicateFieldError,
    FieldTypeError,
    LineTooLongError,
    MissingFieldError,
    NotATraceError,
    NotJsonError,
    SchemaVersionError,
    TraceCutOffError,
    TraceFileError,
    TraceValuesError,
    TraceWriteError,
    UnknownFieldError,
)
from bridge.trace.file.reader import read, scan
from bridge.trace.file.writer import write

# As the package offers them: `bridge.read_trace`, `bridge.write_trace`.
read_trace = read
write_trace = write

__all__ = [
    "DamagedTraceError",
    "DuplicateFieldError",
    "FieldTypeError",
    "LineTooLongError",
    "MissingFieldError",
    "NotATraceError",
    "NotJsonError",
    "SchemaVersionError",
    "TraceCutOffError",
    "TraceFileError",
    "TraceValuesError",
    "TraceWriteError",
    "UnknownFieldError",
    "beside",
    "diff_files",
    "read",
    "read_trace",
    "scan",
    "write",
    "write_trace",
]
