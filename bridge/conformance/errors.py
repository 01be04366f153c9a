"""Exceptions of the conformance suite."""

from __future__ import annotations

from bridge.errors import BridgeError


class NotAcceptedError(BridgeError, ValueError):
    """A program cannot be accepted: it fails in PyTorch, has an empty trace, or has a different trace in each run."""


class SelectionError(BridgeError, ValueError):
    """A filter matches no clause and no program."""


class ReportError(BridgeError, ValueError):
    """A report file cannot be read. The message names the file and the defect."""


class TraceDiffersError(BridgeError, AssertionError):
    """A runtime behaved differently from PyTorch. The message describes the first difference."""


class ProgramFailedError(BridgeError):
    """A runtime did not produce the trace that the program expects. The message describes the first difference of each failing run."""
