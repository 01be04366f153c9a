"""Bridge.Torch behind mirrors as a runtime: recordings made inside .NET, and hook programs in several variants."""

from __future__ import annotations

from bridge.runtimes.dotnet.recorder import NAME, record

__all__ = ["NAME", "record"]
