"""Runtimes (PyTorch, .NET, TorchSharp and others). A runtime runs hook programs (docs/programs.md); ``record`` records models."""

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
    """Record the calls of ``models`` (one, or several by name) with the runtime that they need.

    The runtime is ``torchsharp`` if any model runs in a TorchSharp process (then all must), ``dotnet`` if any module is a .NET module,
    ``torchsharp-in-process`` if any module runs on TorchSharp in this process, else ``pytorch``.
    A recording keeps the shape, dtype and device of each tensor. With ``values="digest"`` it also keeps a digest of the tensor's elements,
    with ``values="full"`` the digest and the elements.

    Raises ValueError for any other ``values``. Raises TypeError for an object that is not a module, if only some of the models run in a
    TorchSharp process, or for a part of a model in that process. Raises RuntimeError if a model in that process is being recorded already.
    """
    from bridge.mirror import is_mirror
    from bridge.runtimes import dotnet, pytorch
    from bridge.runtimes.in_process import recorder as in_process
    from bridge.runtimes.recording import root_modules
    from bridge.runtimes.torchsharp import recorder

    roots = root_modules(models).values()
    if any(recorder.is_remote(model) for model in roots):
        return recorder.record(models, values=values)
    if any(is_mirror(module) for model in roots for module in model.modules()):
        return dotnet.record(models, values=values)
    if any(in_process.is_in_process(model) for model in roots):
        return in_process.record(models, values=values)
    return pytorch.record(models, values=values)
