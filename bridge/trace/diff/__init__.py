"""Comparison of two traces: structure first, values second."""

from __future__ import annotations

from bridge.trace.diff.align import Row
from bridge.trace.diff.difference import KINDS, Diff, Difference, with_fix
from bridge.trace.diff.differences import diff

__all__ = ["KINDS", "Diff", "Difference", "Row", "diff", "with_fix"]
