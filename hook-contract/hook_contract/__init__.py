"""The hook contract: when the hooks of neural-network modules run, as clauses, and programs that test any runtime by them.

The package needs neither torch nor .NET. The public API consists of the names in ``__all__``, the interface of module libraries in
:mod:`hook_contract.runtimes.world` with its parts for Python (:mod:`~hook_contract.runtimes.interpreter` and
:mod:`~hook_contract.runtimes.nodes`), and the commands of ``python -m hook_contract``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# The module of each public name, imported when the name is first used, so that hook_contract.errors can be imported without any other
# package: tools that run before the set-up need it.
_MODULES = {
    "Clause": "hook_contract.contract",
    "Contract": "hook_contract.contract",
    "Events": "hook_contract.runtimes.runtime",
    "HookContractError": "hook_contract.errors",
    "Program": "hook_contract.program",
    "Runtime": "hook_contract.runtimes.runtime",
    "__version__": "hook_contract.contract.versions",
    "corpus": "hook_contract.program",
    "load_contract": "hook_contract.contract",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # with __getattr__, a type checker would accept any name

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'hook_contract' has no attribute '{name}'")
        import importlib

        # load_contract is hook_contract.contract.load.
        value = getattr(importlib.import_module(_MODULES[name]), name.removesuffix("_contract"))
        globals()[name] = value
        return value
