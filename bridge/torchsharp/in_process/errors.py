"""Exceptions about TorchSharp in this process."""

from __future__ import annotations

from bridge.errors import BridgeError


class InProcessError(BridgeError, RuntimeError):
    """TorchSharp cannot run in this process."""
