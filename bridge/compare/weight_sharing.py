"""Weights by name from one side to the other, or from a file to both: all of them, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from bridge.compare.compare_errors import WeightsError

#: What ``--weights`` may say besides a file.
WORDS = ("none", "python", "dotnet")


def share(choice: str, python: torch.nn.Module, dotnet: torch.nn.Module) -> None:
    """Gives both models the same weights.

    ``python`` copies the PyTorch model's into the .NET model, ``dotnet`` the other way, ``none`` leaves both as they
    were made; anything else is a safetensors file for both. Raises WeightsError with all misfits; then neither model
    was touched.
    """
    if choice == "none":
        return
    if choice == "python":
        give(state(python), [("dotnet", dotnet)], "pytorch")
    elif choice == "dotnet":
        give(state(dotnet), [("pytorch", python)], "dotnet")
    else:
        give(read(Path(choice)), [("pytorch", python), ("dotnet", dotnet)], choice)


def give(source: Mapping[str, Any], targets: Sequence[tuple[str, torch.nn.Module]], origin: str) -> None:
    """Loads ``source`` into every target, or raises WeightsError with every misfit and loads nothing."""
    found = [line for name, model in targets for line in misfits(source, model, origin, name)]
    if found:
        many = "1 weight does" if len(found) == 1 else f"{len(found)} weights do"
        listed = "\n".join(f"  {line}" for line in found)
        raise WeightsError(f"{many} not fit, nothing was loaded:\n{listed}")
    for _, model in targets:
        model.load_state_dict(dict(source), strict=True)


def misfits(source: Mapping[str, Any], model: torch.nn.Module, origin: str, name: str) -> list[str]:
    """What hinders loading ``source`` into ``model``, a line each: names first, then shapes and dtypes."""
    wanted = state(model)
    lines = [f"{key}: {origin} has it, {name} does not" for key in source if key not in wanted]
    lines += [f"{key}: {name} has it, {origin} does not" for key in wanted if key not in source]
    for key, value in source.items():
        if key not in wanted:
            continue
        mine, theirs = _form(value), _form(wanted[key])
        lines += [
            f"{key}: {what} {a} in {origin}, {b} in {name}"
            for what, a, b in zip(_FORM, mine, theirs, strict=True)
            if a != b and a and b
        ]
    return lines


_FORM = ("shape", "dtype")


def _form(value: Any) -> tuple[str, str]:
    if not isinstance(value, torch.Tensor):
        return f"({type(value).__name__}, no tensor)", ""
    if is_lazy(value):
        return "not known yet (a lazy module: run it once first)", ""
    return str(list(value.shape)), str(value.dtype)[6:]


def state(model: torch.nn.Module) -> dict[str, Any]:
    """The model's state dict as a plain dict."""
    return dict(model.state_dict())


def read(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of a safetensors file, on the CPU. Raises WeightsError."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if path.suffix != ".safetensors":
        raise WeightsError(f"weights are {', '.join(WORDS)} or a .safetensors file, not '{path}'.")
    if not path.is_file():
        raise WeightsError(f"there is no weights file {path}.")
    try:
        return load_file(path)
    except (OSError, SafetensorError, ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
        raise WeightsError(f"{path} cannot be read as a safetensors file: {error}") from error
