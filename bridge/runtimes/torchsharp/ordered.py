"""TorchSharp with the hooks of our registry as a runtime of hook programs."""

from __future__ import annotations

from bridge.runtimes.runtime import Runtime
from bridge.runtimes.torchsharp.programs import TorchSharp

RUNTIME: Runtime = TorchSharp(ordered=True)
