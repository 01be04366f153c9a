"""The model of the contract (docs/contract.md) as a runtime of hook programs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata

from hook_contract.contract.versions import __version__, holds
from hook_contract.program import Program
from hook_contract.runtimes.interpreter import run
from hook_contract.runtimes.model.dispatcher import ModuleCall
from hook_contract.runtimes.model.world import ModelWorld
from hook_contract.runtimes.runtime import Events, Runtime


class Model:
    """The runtime ``model``: an implementation of the contract in pure Python."""

    name = "model"
    variants: tuple[str, ...] = ("",)
    devices = ("cpu",)
    lacks: Mapping[str, str] = {
        "node:attention": "the model does not implement PyTorch's attention and encoder modules",
        "node:encoder": "the model does not implement PyTorch's attention and encoder modules",
        "step:checkpoint": "the runtime 'model' keeps the tensors that operations save, and cannot recompute them",
    }

    def version(self) -> str:
        return f"the model of the contract, hook-contract {__version__}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        return {"": run(program, ModelWorld())}


def _installed_before(version: str) -> bool:
    """Return whether the installed PyTorch, with which the model is compared, is older than ``version``. Returns False without PyTorch."""
    try:
        return holds(metadata.version("torch"), "", version)
    except metadata.PackageNotFoundError:
        return False


ModuleCall.warns_of_pre_hooks = _installed_before("2.14")
RUNTIME: Runtime = Model()
