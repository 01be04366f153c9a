"""Two traces compared: structure first, values second."""

from __future__ import annotations

from bridge.trace.diff.differences import KINDS, Diff, Difference, diff

__all__ = ["KINDS", "Diff", "Difference", "diff"]
