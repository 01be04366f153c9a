"""The ledger of this package's runtimes, ``divergences.toml``."""

from __future__ import annotations

from pathlib import Path

from hook_contract.contract.ledger import Divergence, read


def ledger() -> tuple[Divergence, ...]:
    """Return the rows of the ledger. Raises LedgerError."""
    return read(Path(__file__).with_name("divergences.toml"))
