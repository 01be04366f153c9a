"""Models whose ports agree with the given inputs and differ with others, while nothing is reported as left to do."""

from __future__ import annotations

import torch
from torch import nn


class Rare(nn.Module):
    """Adds a term that only large elements cause."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        extra = None
        if x.max() > 1e3:
            extra = x * 3
        if extra is not None:
            x = x + extra
        return x


class Clipping(nn.Module):
    """Changes its input by a method that returns None."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        self.clip(y)
        return y

    def clip(self, y: torch.Tensor) -> None:
        y.clamp_(max=4)


class Wide(nn.Module):
    """Has a branch for many rows, and counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        if x.shape[0] > 4:
            return x * self.calls
        return x + self.calls
