"""Exceptions of hook programs."""

from __future__ import annotations

from bridge.errors import BridgeError


class ProgramError(BridgeError, ValueError):
    """An invalid program. The message names the program or its file, and the fault."""
