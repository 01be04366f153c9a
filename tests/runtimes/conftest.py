"""What the runtimes' tests need."""

from __future__ import annotations

import pytest

from bridge.clr import Host
from bridge.mirror.loading import runtime


@pytest.fixture
def dotnet_host(dotnet: object) -> Host:
    """.NET, started; skips where there is none."""
    return runtime()
