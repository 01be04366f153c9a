"""PyTorch as a runtime. It records calls of PyTorch modules. Its traces of hook programs are those that other runtimes should give."""

from __future__ import annotations

from bridge.runtimes.pytorch.recorder import NAME, record

__all__ = ["NAME", "record"]
