"""Bridge.Torch behind mirrors as a runtime: recorded inside .NET, and under hook programs in its variants."""

from __future__ import annotations

from bridge.runtimes.dotnet.recorder import NAME, record

__all__ = ["NAME", "record"]
