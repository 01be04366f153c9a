"""Trace files: JSON lines with a header, the events, and a footer with the counts and the digest of the events.

``bridge/trace/file/trace.schema.json`` is the schema. The writers in Python and C# write equal events as equal bytes. Recorded elements of
tensors are in a second file beside the trace, the *file of values*, in the format safetensors.
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
