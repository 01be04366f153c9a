"""Exceptions of the contract and the ledger."""

from __future__ import annotations

from pathlib import Path

from bridge.errors import BridgeError


class ContractError(BridgeError, ValueError):
    """A file of the contract has an invalid entry; ``path`` and ``clause`` (an id, or "") say where."""

    def __init__(self, path: str | Path, message: str, clause: str = "") -> None:
        super().__init__(f"{path}" + (f", clause {clause}" if clause else "") + f": {message}")
        self.path = Path(path)
        self.clause = clause


class LedgerError(BridgeError, ValueError):
    """A ledger that cannot be read; the message names the row."""
