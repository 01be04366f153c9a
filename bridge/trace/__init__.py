"""Traces: the ordered events of the module calls of models.

A trace has the same format for every runtime, and equal runs give equal events. This package imports neither torch nor .NET.
:mod:`bridge.trace.diff` compares two traces, :mod:`bridge.trace.file` reads and writes traces.
"""

from __future__ import annotations

from bridge.trace.event import PHASES, SCOPES, Event, Value, digest
from bridge.trace.trace import SCHEMA, Header, Trace

__all__ = ["PHASES", "SCHEMA", "SCOPES", "Event", "Header", "Trace", "Value", "digest"]
