"""The hook contract: when the hooks of neural-network modules run, as clauses, and programs that test any runtime by them.

The package needs neither torch nor .NET. The public API consists of the names in ``__all__``, the interface of module libraries in
:mod:`hook_contract.runtimes.world` with its parts for Python (:mod:`~hook_contract.runtimes.interpreter` and
:mod:`~hook_contract.runtimes.nodes`), and the commands of ``python -m hook_contract``.
"""

from __future__ import annotations

from hook_contract.contract import Clause, Contract
from hook_contract.contract import load as load_contract
from hook_contract.contract.versions import __version__
from hook_contract.errors import HookContractError
from hook_contract.program import Program, corpus
from hook_contract.runtimes.runtime import Events, Runtime

__all__ = [
    "Clause",
    "Contract",
    "Events",
    "HookContractError",
    "Program",
    "Runtime",
    "__version__",
    "corpus",
    "load_contract",
]
