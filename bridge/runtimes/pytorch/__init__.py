"""PyTorch as a runtime: recordings of its own dispatcher, and the reference for hook programs."""

from __future__ import annotations

from bridge.runtimes.pytorch.recorder import NAME, record

__all__ = ["NAME", "record"]
