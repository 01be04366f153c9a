"""Exceptions of hook programs."""

from __future__ import annotations

from bridge.errors import BridgeError


class ProgramError(BridgeError, ValueError):
    """An invalid program; the message names the program and the place in it."""
