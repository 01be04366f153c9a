"""Tied tensors: a C# tensor with several names becomes several tensors when Python replaces it under one of its names."""

from __future__ import annotations

import torch

from bridge.mirror.link import Link
from bridge.mirror.synchronization.placement import read_source
from bridge.mirror.synchronization.tensor_lookup import find_tensor


def untie(link: Link, names: tuple[str, ...], tensors: list[torch.Tensor | None]) -> None:
    """Make .NET untie each name in ``names`` if Python has different tensors under that name and under a name tied to it.

    ``tensors`` has the current tensor of each name in ``names``.
    """
    for number, (name, tensor) in enumerate(zip(names, tensors, strict=True)):
        for reference, other_name in link.ties.get(name, ()):
            other = reference()
            if other is None or _current_tensor(other, other_name) is tensor:
                continue
            link.runtime.exports.untie(link.id, number)
            _remove_ties(link, name)
            break


def _remove_ties(link: Link, name: str) -> None:
    for reference, other_name in link.ties.pop(name):
        if (other := reference()) is not None:
            other.ties[other_name] = [tie for tie in other.ties[other_name] if tie[0]() is not link or tie[1] != name]


def _current_tensor(link: Link, name: str) -> object:
    """Return the stored tensor that C# reads under a name; None if there is no such tensor, or the tensor is computed at each access."""
    try:
        return find_tensor(link, read_source(link)[0], name)
    except (AttributeError, RuntimeError, ReferenceError, TypeError):
        return None
