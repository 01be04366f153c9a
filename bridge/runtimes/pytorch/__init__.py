"""PyTorch as a runtime. It records calls of PyTorch modules, and other runtimes are expected to give its traces of hook programs."""

from __future__ import annotations

from bridge.runtimes.pytorch.recorder import NAME, record

__all__ = ["NAME", "record"]
