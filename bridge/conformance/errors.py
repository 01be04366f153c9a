"""Exceptions of the conformance suite."""

from __future__ import annotations

from bridge.errors import BridgeError


class NotAcceptedError(BridgeError, ValueError):
    """PyTorch's trace cannot become a program's ``expect``: it is empty, differs in a second run, or has other exceptions than expected."""


class SelectionError(BridgeError, ValueError):
    """A filter matches no clause and no program."""


class ReportError(BridgeError, ValueError):
    """A report file cannot be read. The message names the file and the defect."""


class TraceDiffersError(BridgeError, AssertionError):
    """A runtime gave another trace of a random program than PyTorch, or raised. The message describes the difference."""


class ProgramFailedError(BridgeError):
    """A runtime did not produce the trace that the program expects. The message describes each failing run."""
