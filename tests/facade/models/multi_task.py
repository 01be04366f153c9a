"""The PyTorch original of MultiTask.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self, features: int, width: int, depth: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1))
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(width if index else features, width), nn.Tanh()) for index in range(depth)
        )
        self.mix = nn.ParameterList(nn.Parameter(torch.zeros(1)) for _ in range(depth))
        self.heads = nn.ModuleDict({"age": nn.Linear(width, 1), "species": nn.Linear(width, 5)})

    def forward(self, x: torch.Tensor) -> Any:
        found = []
        for layer in self.layers:
            x = layer(x)
            found.append(x)
        weights = torch.cat(list(self.mix)).softmax(dim=0)
        mixed = self.gamma * (torch.stack(found) * weights.view(-1, 1, 1)).sum(dim=0)
        return {name: head(mixed) for name, head in self.heads.items()}
