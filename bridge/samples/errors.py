"""Exceptions of the samples."""

from __future__ import annotations

from bridge.errors import BridgeError


class WeightsNotFound(BridgeError, RuntimeError):
    """The pretrained weights are not installed or are damaged. The message says how to install them."""
