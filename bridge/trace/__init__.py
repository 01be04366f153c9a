"""The trace: the ordered list of what happened when models were called.

A trace is data. It is the same for every runtime, imports neither torch nor .NET, and two equal runs give equal events.
:mod:`bridge.trace.diff` compares two traces, :mod:`bridge.trace.file` writes them into files and reads them.
"""

from __future__ import annotations

from bridge.trace.event import PHASES, SCOPES, Event, Value, digest
from bridge.trace.trace import SCHEMA, Header, Trace

__all__ = ["PHASES", "SCHEMA", "SCOPES", "Event", "Header", "Trace", "Value", "digest"]
