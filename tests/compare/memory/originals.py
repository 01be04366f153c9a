"""The PyTorch originals of Memory.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Tidy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> Any:
        return self.fc(x).relu().tanh()


class Using(Tidy):
    def forward(self, x: torch.Tensor) -> Any:
        return self.fc(x).relu()


class Leaky(Tidy):
    def forward(self, x: torch.Tensor) -> Any:
        hidden = self.fc(x)
        hidden.view(-1)
        return hidden.relu()


class Holding(Using):
    """Keeps a tensor, as its port does."""

    def forward(self, x: torch.Tensor) -> Any:
        hidden = self.fc(x)
        self.seen = hidden.tanh()
        return hidden.relu()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tidy, self.one = Tidy(), Using()
        self.layers = nn.Sequential()
        self.layers.add_module("a", nn.Linear(8, 32))
        self.layers.add_module("b", nn.ReLU())
        self.layers.add_module("c", nn.Linear(32, 8))
        self.leaky, self.holding = Leaky(), Holding()

    def forward(self, x: torch.Tensor) -> Any:
        return self.holding(self.leaky(self.layers(self.one(self.tidy(x)))))


class Clean(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tidy, self.one, self.leaky = Tidy(), Using(), Leaky()

    def forward(self, x: torch.Tensor) -> Any:
        return self.one(self.tidy(x))


class Tasks(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return x * 2
