"""Runtimes, a package each: they run hook programs, and record the calls of models (``record``)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from bridge.runtimes.recording import Recording, Values


def record(
    models: torch.nn.Module | Mapping[str, torch.nn.Module], *, values: Values = "none"
) -> AbstractContextManager[Recording]:
    """Record the calls of ``models`` with the runtime that they need.

    This is ``dotnet`` if any of their modules is a .NET module, ``torchsharp`` for models in the process of TorchSharp, else ``pytorch``.
    ``values`` is what is kept of tensors besides shape, dtype and device: ``none``, a ``digest`` of the elements, or the elements
    (``full``).
    """
    from bridge.mirror import is_mirror
    from bridge.runtimes import dotnet, pytorch
    from bridge.runtimes.recording import root_modules
    from bridge.runtimes.torchsharp import recorder

    if any(recorder.is_remote(model) for model in root_modules(models).values()):
        return recorder.record(models, values=values)
    of_dotnet = any(is_mirror(module) for model in root_modules(models).values() for module in model.modules())
    return dotnet.record(models, values=values) if of_dotnet else pytorch.record(models, values=values)
