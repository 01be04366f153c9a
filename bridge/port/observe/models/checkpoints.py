"""Checkpoints: the weights of a model, in a file of ``torch.save`` or of safetensors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch

from bridge.compare.models.weights import load_into, read_weights
from bridge.port.errors import PortError

#: The keys under which a checkpoint may hold the model's state dict, beside the optimizer's and other entries.
_NAMES: Final = ("state_dict", "model_state_dict", "model")


def load_checkpoint(model: torch.nn.Module, path: Path) -> None:
    """Load the weights of a file into a model. Raises CompareError if the file cannot be read, or if a weight does not fit."""
    source = read_weights(path) if path.suffix == ".safetensors" else _read(path)
    load_into(source, [("the model", model)], str(path))


def _read(path: Path) -> Mapping[str, Any]:
    """Read a file of ``torch.save``, without running code that it may contain."""
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever its unpickler raises for arbitrary bytes
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).splitlines()[0]
        raise PortError(f"{path} cannot be read as a checkpoint: {reason}") from error
    for name in _NAMES:
        if isinstance(found, Mapping) and isinstance(found.get(name), Mapping):
            found = found[name]
    if not isinstance(found, Mapping):
        raise PortError(f"{path} holds a {type(found).__name__}, not a state dict.")
    parallel = bool(found) and all(key.startswith("module.") for key in found)  # saved from DataParallel
    return {key.removeprefix("module."): value for key, value in found.items()} if parallel else found
