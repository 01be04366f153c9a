"""Exceptions about TorchSharp in this process."""

from __future__ import annotations

from bridge.errors import BridgeError


class InProcessError(BridgeError, RuntimeError):
    """TorchSharp cannot run in this process."""


class CallFailedError(BridgeError):
    """Raised and caught so that the ``always_call`` hooks of a failed call run in an ``except`` block, as in PyTorch."""
