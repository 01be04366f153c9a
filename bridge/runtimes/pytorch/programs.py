"""PyTorch as a runtime of hook programs. Other runtimes are expected to give the same traces."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from bridge.runtimes.pytorch.world import TorchWorld
from hook_contract.program import Program
from hook_contract.runtimes.interpreter import run
from hook_contract.runtimes.runtime import Events, Runtime


class PyTorch:
    """The runtime ``pytorch``: ``torch.nn`` modules, called by PyTorch itself."""

    name = "pytorch"
    variants: tuple[str, ...] = ("",)
    lacks: Mapping[str, str] = {}

    @property
    def devices(self) -> tuple[str, ...]:
        return ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)

    def version(self) -> str:
        return f"PyTorch {torch.__version__}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        return {"": run(program, TorchWorld(device))}


RUNTIME: Runtime = PyTorch()
