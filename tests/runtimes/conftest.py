"""What the runtimes' tests need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import bridge
from bridge.clr import DotNetRuntime
from bridge.mirror.loading import dotnet_runtime


@pytest.fixture
def dotnet_host(dotnet: object) -> DotNetRuntime:
    """Start .NET, or skip the test without it."""
    return dotnet_runtime()


@pytest.fixture
def recorded(build_csharp: Callable[..., Path]) -> Callable[[str], bridge.Mirror]:
    """Return a factory of the models in Recorded.cs, ``recorded("Tasks")``; skips without an SDK."""
    assembly = build_csharp([Path(__file__).with_name("Recorded.cs")], "Recorded")
    return lambda name: bridge.load(assembly, f"Recorded.{name}")
