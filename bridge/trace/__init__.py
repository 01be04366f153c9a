"""Traces: the ordered events of the module calls of models.

A trace is data, in the same format for every runtime, and imports neither torch nor .NET; equal runs produce equal events.
:mod:`bridge.trace.diff` compares two traces, :mod:`bridge.trace.file` reads and writes them.
"""

from __future__ import annotations

from bridge.trace.event import PHASES, SCOPES, Event, Value, digest
from bridge.trace.trace import SCHEMA, Header, Trace

__all__ = ["PHASES", "SCHEMA", "SCOPES", "Event", "Header", "Trace", "Value", "digest"]
