"""Exceptions of the conformance suite."""

from __future__ import annotations

from bridge.errors import BridgeError


class NotAcceptedError(BridgeError, ValueError):
    """A program fails in PyTorch, has no trace, or has another trace in each run."""


class SelectionError(BridgeError, ValueError):
    """A filter matches no clause and no program."""


class ReportError(BridgeError, ValueError):
    """A report file cannot be read; the message names the file and the defect."""


class TraceDiffersError(BridgeError, AssertionError):
    """A runtime behaved differently from PyTorch; the message describes the first difference."""


class ProgramFailedError(BridgeError):
    """A runtime produced another trace than the program expects; the message describes each difference."""
