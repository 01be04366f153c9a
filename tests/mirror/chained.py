"""The counterpart in PyTorch of a C# model whose layers C# runs one after another."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Chained(nn.Module):
    """Models.Chained in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4, bias=False), nn.Tanh(),
            nn.Linear(4, 4), nn.Sigmoid(), nn.SiLU(), nn.Linear(4, 4),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> Any:
        return self.layers(x)
