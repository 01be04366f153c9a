"""Exceptions about TorchSharp in this process."""

from __future__ import annotations

from bridge.errors import BridgeError


class InProcessError(BridgeError, RuntimeError):
    """TorchSharp cannot run in this process."""


class CallFailedError(BridgeError):
    """A call of TorchSharp failed. This exception stands for C#'s while Python runs the hooks with always_call (A-3)."""
