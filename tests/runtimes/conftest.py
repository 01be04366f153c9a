"""What the runtimes' tests need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bridge
from bridge.clr import DotNetRuntime
from bridge.mirror.loading import dotnet_runtime
from bridge.runtimes.torchsharp import process
from bridge.torchsharp.process.library_search import VARIABLE


@pytest.fixture
def dotnet_host(dotnet: object) -> DotNetRuntime:
    """Start .NET, or skip the test without it."""
    return dotnet_runtime()


@pytest.fixture
def recorded(build_csharp: Callable[..., Path]) -> Callable[[str], bridge.Mirror]:
    """Return a factory of the models in Recorded.cs, ``recorded("Tasks")``; skips without an SDK."""
    assembly = build_csharp([Path(__file__).with_name("Recorded.cs")], "Recorded")
    return lambda name: bridge.load(assembly, f"Recorded.{name}")


@pytest.fixture(scope="module")
def on_torchsharp(torchsharp: Path) -> Iterator[None]:
    """Run the runtimes' process on this TorchSharp, and end it afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(torchsharp))
        process.started.cache_clear()
        yield
        process.started().close()
        process.started.cache_clear()
