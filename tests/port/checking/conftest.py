"""The ports of tests/port/compiled.py, written and as C#."""

from __future__ import annotations

from tests.port.compiled import sources, written

__all__ = ["sources", "written"]
