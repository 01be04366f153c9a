"""Exceptions of the conformance suite."""

from __future__ import annotations

from bridge.errors import BridgeError


class NotAcceptedError(BridgeError, ValueError):
    """PyTorch runs the program, but not to its end, not the same each time, or without a trace; the message says which."""


class SelectionError(BridgeError, ValueError):
    """A filter that selects nothing; the message says which."""


class ReportError(BridgeError, ValueError):
    """A report that cannot be read; the message names the file and what is wrong."""


class TraceDiffersError(BridgeError, AssertionError):
    """A runtime behaved differently from PyTorch; the message says where they first differ."""


class ProgramFailedError(BridgeError):
    """A runtime produced another trace than the program expects; the message describes each difference."""
