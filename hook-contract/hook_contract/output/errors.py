"""Exceptions of :mod:`hook_contract.output`."""

from __future__ import annotations

from hook_contract.errors import HookContractError


class OutputError(HookContractError):
    """A file cannot be written; the message names the file and the reason."""
