"""Exceptions about TorchSharp in this process."""

from __future__ import annotations

from bridge.errors import BridgeError


class InProcessError(BridgeError, RuntimeError):
    """TorchSharp cannot run in this process."""


class CallFailedError(BridgeError):
    """A call of TorchSharp failed. As in PyTorch, ``always_call`` hooks run while an exception is handled: this one."""
