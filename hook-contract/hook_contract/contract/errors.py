"""Exceptions of the contract and the ledger."""

from __future__ import annotations

from pathlib import Path

from hook_contract.errors import HookContractError


class ContractError(HookContractError, ValueError):
    """An invalid entry in a file of the contract. ``clause`` is the id of the clause, or "" outside a clause."""

    def __init__(self, path: str | Path, message: str, clause: str = "") -> None:
        super().__init__(f"{path}" + (f", clause {clause}" if clause else "") + f": {message}")
        self.path = Path(path)
        self.clause = clause


class LedgerError(HookContractError, ValueError):
    """An invalid ledger. If the fault is in a row, the message names the row."""
