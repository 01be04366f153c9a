"""Exceptions of :mod:`bridge.output`."""

from __future__ import annotations

from bridge.errors import BridgeError


class OutputError(BridgeError):
    """A file cannot be written; the message names the file and the reason."""
