"""PyTorch as a runtime of hook programs: the reference."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from bridge.program import Program
from bridge.runtimes.interpreter import run
from bridge.runtimes.pytorch.world import TorchWorld
from bridge.runtimes.runtime import Events, Runtime


class PyTorch:
    """``torch.nn`` modules and PyTorch's own dispatcher."""

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
