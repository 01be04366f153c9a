"""Exceptions of hook programs."""

from __future__ import annotations

from hook_contract.errors import HookContractError


class ProgramError(HookContractError, ValueError):
    """An invalid program. The message names the program or its file, and the fault."""
