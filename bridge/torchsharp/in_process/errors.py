"""Exceptions about TorchSharp in this process."""

from __future__ import annotations

from bridge.errors import BridgeError


class InProcessError(BridgeError, RuntimeError):
    """TorchSharp cannot run in this process."""


class CallFailedError(BridgeError):
    """A failed call of TorchSharp. It is handled while ``always_call`` hooks run, since PyTorch runs them in an ``except`` block."""
