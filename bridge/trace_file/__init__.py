"""Trace files: record now, compare later, on another machine.

JSON lines: a header (how the trace came to be), the events, a footer (their count and digest). ``bridge/contract/trace.schema.json``
is the schema. Equal events are equal bytes, whichever runtime's writer wrote them; elements of tensors stand in a safetensors file beside.
"""

from __future__ import annotations

from bridge.trace_file.comparing import diff_files
from bridge.trace_file.errors import (
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
from bridge.trace_file.reading import read, scan
from bridge.trace_file.values import beside
from bridge.trace_file.writing import write

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
    "scan",
    "write",
]
