"""Exceptions of :mod:`bridge.demo`."""

from __future__ import annotations

from bridge.errors import BridgeError


class DemoError(BridgeError, RuntimeError):
    """The demo cannot run. The message says what is missing, and how to install it."""
