"""Exceptions about TorchSharp in this process."""

from __future__ import annotations

from bridge.errors import BridgeError


class InProcessError(BridgeError, RuntimeError):
    """TorchSharp cannot run in this process."""


class CallFailedError(BridgeError):
    """A call of TorchSharp failed. ``always_call`` hooks run in an ``except`` block for this exception, since PyTorch's run in one, too."""
