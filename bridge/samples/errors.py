"""Exceptions of the samples."""

from __future__ import annotations

from bridge.errors import BridgeError


class WeightsNotFound(BridgeError, RuntimeError):
    """The pretrained weights are missing or damaged. The message says how to install them."""
