"""Trace files: JSON lines with a header, the events, and a footer with their count and digest.

``bridge/contract/trace.schema.json`` is the schema. Equal events are equal bytes from every runtime's writer. Elements of tensors are in a
safetensors file beside the trace.
"""

from __future__ import annotations

from bridge.trace.file.diff_files import diff_files
from bridge.trace.file.elements import beside
from bridge.trace.file.reader import read, scan
from bridge.trace.file.writer import write

# The public names: `bridge.read_trace`, `bridge.write_trace`.
read_trace = read
write_trace = write

__all__ = ["beside", "diff_files", "read", "read_trace", "scan", "write", "write_trace"]
