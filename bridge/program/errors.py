"""Exceptions of hook programs."""

from __future__ import annotations

from bridge.errors import BridgeError


class ProgramError(BridgeError, ValueError):
    """An invalid program. The message names the program and the place of the fault in its JSON."""
