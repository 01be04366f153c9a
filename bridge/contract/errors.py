"""What can be wrong with the contract's files."""

from __future__ import annotations

from pathlib import Path


class ContractError(ValueError):
    """A file of the contract says what it may not; ``path`` and ``clause`` (an id, or "") say where."""

    def __init__(self, path: str | Path, message: str, clause: str = "") -> None:
        super().__init__(f"{path}" + (f", clause {clause}" if clause else "") + f": {message}")
        self.path = Path(path)
        self.clause = clause
