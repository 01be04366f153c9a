"""PyTorch as a runtime. It records calls of PyTorch modules, and its traces of hook programs are the expected ones."""

from __future__ import annotations

from bridge.runtimes.pytorch.recorder import NAME, record

__all__ = ["NAME", "record"]
