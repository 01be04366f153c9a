"""Inputs, and models that take one tensor of (batch, 4)."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import torch

#: Models of one such input, with the arguments of their constructors.
SIMPLE: Final = (
    "Chain",
    "Normed",
    "Recurrent",
    "Tied",
    "Blocks",
    "Reading",
    "ReadingList",
    "Counting",
    "Keeping",
    "Disposing",
    "Inplace",
    "Swapping",
    "Catching",
    "Squaring",
    "Collecting",
    "Recursing 3",
    "Branches plain",
    "Branches parallel",
    "Branches tasks",
    "Shared 2",
    "Static",
)

#: Those whose results depend on earlier calls.
STATEFUL: Final = ("Counting", "Keeping", "Swapping", "Normed", "Recursing")


def tensor(rng: Random, batch: int | None = None) -> torch.Tensor:
    """Return a (batch, 4) matrix, drawn without PyTorch's generator."""
    rows = batch if batch is not None else rng.randrange(2, 5)
    return torch.tensor([[rng.uniform(-2, 2) for _ in range(4)] for _ in range(rows)])


def simple(rng: Random, *without: str) -> tuple[Any, ...]:
    """Return a model's name and arguments for ``Case.pair``."""
    return split(rng.choice([name for name in SIMPLE if not name.startswith(without)] if without else SIMPLE))


def split(text: str) -> tuple[Any, ...]:
    """Split ``"Shared 2"`` into the name and the arguments, parsed."""
    name, *arguments = text.split()
    return name, *(int(item) if item.isdigit() else item for item in arguments)
