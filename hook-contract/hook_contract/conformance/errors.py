"""Exceptions of the conformance suite."""

from __future__ import annotations

from hook_contract.errors import HookContractError


class NotAcceptedError(HookContractError, ValueError):
    """PyTorch's trace cannot become a program's ``expect``: it is empty, differs in a second run, or has other exceptions than expected."""


class SelectionError(HookContractError, ValueError):
    """A filter matches no clause and no program."""


class ResultsError(HookContractError):
    """A file of results is not valid. The message names the file."""


class ReportError(HookContractError, ValueError):
    """A report file cannot be read. The message names the file and the defect."""


class TraceDiffersError(HookContractError, AssertionError):
    """A runtime gave another trace of a random program than PyTorch, or raised. The message describes the difference."""


class ProgramFailedError(HookContractError):
    """A runtime did not produce the trace that the program expects. The message describes each failing run."""
