"""The contract: what must happen when a module is called, clause by clause, each with an id (``C-5``, ``O-1``, ``A-3``).

Data, not code: ``contract.toml`` has its version and the order of its chapters, ``clauses/`` a file for each chapter. This
package reads and checks them, and imports neither torch nor anything else of ours.
"""

from __future__ import annotations

from bridge.contract.chapters import load
from bridge.contract.clause import KINDS, RUNTIMES, Chapter, Clause, Contract
from bridge.contract.errors import ContractError

__all__ = ["KINDS", "RUNTIMES", "Chapter", "Clause", "Contract", "ContractError", "load"]
