"""Comparison of two traces: first their structure, then the values."""

from __future__ import annotations

from bridge.trace.diff.align import Row
from bridge.trace.diff.difference import KINDS, Diff, Difference, with_fix
from bridge.trace.diff.differences import diff

__all__ = ["KINDS", "Diff", "Difference", "Row", "diff", "with_fix"]
