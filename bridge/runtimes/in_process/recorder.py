"""Recordings of models that run on TorchSharp in this process. They are made with global hooks, as for PyTorch's modules."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Final

import torch

from bridge.runtimes.pytorch.recorder import record_calls
from bridge.runtimes.recording import Recording, Values
from bridge.torchsharp.in_process.library import loaded_title
from bridge.torchsharp.in_process.module import InProcessModule

NAME: Final = "torchsharp-in-process"


def is_in_process(model: torch.nn.Module) -> bool:
    """Return whether a module of the model runs on TorchSharp in this process."""
    return any(isinstance(module, InProcessModule) for module in model.modules())


def record(
    models: torch.nn.Module | Mapping[str, torch.nn.Module], *, values: Values = "none"
) -> AbstractContextManager[Recording]:
    """Record the calls of ``models`` as :func:`bridge.runtimes.pytorch.record` does."""
    return record_calls(models, values, NAME, loaded_title())
