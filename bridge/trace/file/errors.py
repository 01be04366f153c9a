"""Exceptions of trace files. Their messages name the file and, if applicable, the line and the field."""

from __future__ import annotations

from pathlib import Path

from bridge.errors import BridgeError
from bridge.trace import Trace


class TraceFileError(BridgeError, ValueError):
    """A trace file cannot be read or written. ``line`` (from 1) and ``field`` are None if the error does not concern one line or field."""

    def __init__(self, path: str | Path, message: str, line: int | None = None, field: str | None = None) -> None:
        place = f"{path}" + (f", line {line}" if line is not None else "") + (f", field '{field}'" if field else "")
        super().__init__(f"{place}: {message}")
        self.path = Path(path)
        self.line = line
        self.field = field


class TraceCutOffError(TraceFileError):
    """The file ends before its footer. ``trace`` has the events that could be read.

    ``trace`` is None if the header is missing or incomplete, or if :func:`bridge.trace.file.scan` raised the error.
    """

    def __init__(self, path: str | Path, message: str, line: int | None = None, trace: Trace | None = None) -> None:
        super().__init__(path, message, line)
        self.trace = trace


class NotATraceError(TraceFileError):
    """The first line is not the header of a trace file."""


class NotJsonError(TraceFileError):
    """A line is not a JSON object."""


class SchemaVersionError(TraceFileError):
    """The file has a schema version that this package does not read."""


class FieldTypeError(TraceFileError):
    """A field has a value of the wrong type, or an invalid value."""


class MissingFieldError(TraceFileError):
    """A field is missing."""


class UnknownFieldError(TraceFileError):
    """A field is not in the schema."""


class DuplicateFieldError(TraceFileError):
    """A field occurs twice in one object."""


class LineTooLongError(TraceFileError):
    """A line exceeds the maximum length."""


class DamagedTraceError(TraceFileError):
    """The events do not match the footer, or there is data after the footer."""


class TraceValuesError(TraceFileError):
    """The file with the elements of tensors cannot be read, or does not fit the trace."""


class TraceWriteError(TraceFileError):
    """The file cannot be written, or the trace has something that a trace file cannot store."""
