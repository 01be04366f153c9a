"""Values of programs as torch has them, and back. Tensors are float64 of shape ``[1]`` on the device of the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from bridge.program import Json


def make(value: Json, device: torch.device | str, find: Callable[[str], Any]) -> Any:
    """The torch value that a program's value stands for; ``find`` gives what was saved under a name."""
    if value is None:
        return None
    if not isinstance(value, dict):
        return torch.tensor([float(value)], dtype=torch.float64, device=device)
    ((form, content),) = value.items()
    if form == "tuple":
        return tuple(make(item, device, find) for item in content)
    if form == "list":
        return [make(item, device, find) for item in content]
    if form == "dict":
        return {key: make(item, device, find) for key, item in content.items()}
    if form == "vector":
        return torch.tensor(content, dtype=torch.float64, device=device)
    if form == "name":
        return find(content)
    return content  # plain, text


class Writer:
    """Torch values as a trace has them; with ``identity`` each tensor with the number of its object, counted as they are met.

    A tensor that is elsewhere than on ``device`` says so, which no program expects: a trace cannot claim a device it did not run on.
    """

    def __init__(self, identity: bool, device: torch.device) -> None:
        self._device = device.type
        self._ids: dict[int, int] | None = {} if identity else None
        self._kept: list[torch.Tensor] = []  # an id names one object only as long as the object lives

    def __call__(self, value: Any) -> Json:
        if isinstance(value, torch.Tensor):
            written = _elements(value)
            if value.device.type != self._device:
                return {"value": written, "device": value.device.type}
            if self._ids is None:
                return written
            if id(value) not in self._ids:
                self._ids[id(value)] = len(self._ids)
                self._kept.append(value)
            return {"value": written, "id": self._ids[id(value)]}
        if value is None:
            return None
        if isinstance(value, (bool, int, float)):
            return {"plain": number(value)}
        if isinstance(value, str):
            return {"text": value}
        if isinstance(value, tuple):
            return {"tuple": [self(item) for item in value]}
        if isinstance(value, list):
            return {"list": [self(item) for item in value]}
        if isinstance(value, dict):
            return {"dict": {key: self(item) for key, item in value.items()}}
        return {"object": type(value).__name__}


def _elements(value: torch.Tensor) -> Json:
    if value.device.type == "meta":
        return {"meta": list(value.shape)}
    if value.dim() > 1:
        return {"shape": list(value.shape)}
    plain = value.detach().cpu()
    return number(plain.item()) if plain.numel() == 1 else {"vector": [number(item) for item in plain.tolist()]}


def number(value: float) -> float | int:
    """A float that is whole, as an integer: JSON then writes it the same from every runtime."""
    return int(value) if not isinstance(value, bool) and value == value // 1 else value
