"""Exceptions of :mod:`bridge.demo`."""

from __future__ import annotations

from bridge.errors import BridgeError


class DemoError(BridgeError, RuntimeError):
    """The demo cannot run, for example because packages are missing. The message says why."""
