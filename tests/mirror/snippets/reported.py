"""Snippet of test_watching.py: tests that run while CPython reports writes, as it has to from Python 3.14 on."""

from __future__ import annotations

import sys

import pytest

from bridge.clr.start import capi


def run(*arguments: str) -> None:
    def version_offset() -> int:
        return 0

    capi.version_offset = version_offset  # type: ignore[assignment]  # what Python 3.14 gives
    from bridge.mirror.synchronization import dirty_tracking

    assert dirty_tracking.REPORTS_WRITES
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    sys.exit(pytest.main([*options, *arguments]))
