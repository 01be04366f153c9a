"""Errors of trace files. Each names the file and, if it concerns one, the line and the field."""

from __future__ import annotations

from pathlib import Path

from bridge.errors import BridgeError
from bridge.trace import Trace


class TraceFileError(BridgeError, ValueError):
    """A trace file cannot be read or written; ``path``, ``line`` (from 1) and ``field`` say where, None where it does not apply."""

    def __init__(self, path: str | Path, message: str, line: int | None = None, field: str | None = None) -> None:
        place = f"{path}" + (f", line {line}" if line is not None else "") + (f", field '{field}'" if field else "")
        super().__init__(f"{place}: {message}")
        self.path = Path(path)
        self.line = line
        self.field = field


class TraceCutOffError(TraceFileError):
    """The file ends before its footer; ``trace`` is what could be read of it, None where not even the header could."""

    def __init__(self, path: str | Path, message: str, line: int | None = None, trace: Trace | None = None) -> None:
        super().__init__(path, message, line)
        self.trace = trace


class NotATraceError(TraceFileError):
    """The first line is not the header of a trace file."""


class NotJsonError(TraceFileError):
    """A line is not a JSON object."""


class SchemaVersionError(TraceFileError):
    """The file is of a schema version that this package does not read."""


class FieldTypeError(TraceFileError):
    """A field has a value of the wrong type, or one that is not allowed."""


class MissingFieldError(TraceFileError):
    """A field is missing."""


class UnknownFieldError(TraceFileError):
    """There is a field that the schema does not have."""


class DuplicateFieldError(TraceFileError):
    """A field occurs twice in one object."""


class LineTooLongError(TraceFileError):
    """A line is longer than any that is ever written."""


class DamagedTraceError(TraceFileError):
    """The events are not those that the footer counts and digests."""


class TraceValuesError(TraceFileError):
    """The file of values cannot be read, or does not hold the values of the events."""


class TraceWriteError(TraceFileError):
    """The file cannot be written, or the trace contains something that a file cannot hold."""
