"""The hook contract: what must happen when a module is called, in clauses with ids (``C-5``, ``O-1``, ``A-3``).

The contract is a set of files: ``contract.toml`` has its version and the order of its chapters, ``clauses/`` a file for each chapter. This
package reads and checks them. It does not import torch.
"""

from __future__ import annotations

from hook_contract.contract.chapters import load
from hook_contract.contract.clause import LEVELS, Chapter, Clause, Contract
from hook_contract.contract.errors import ContractError

__all__ = ["LEVELS", "Chapter", "Clause", "Contract", "ContractError", "load"]
