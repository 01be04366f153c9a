"""PyTorch as a runtime: its own dispatcher, recorded, and under hook programs the reference."""

from __future__ import annotations

from bridge.runtimes.pytorch.recorder import NAME, record

__all__ = ["NAME", "record"]
