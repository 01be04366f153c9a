"""The PyTorch original of Residual.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(8)
        self.relu = nn.ReLU()
        self.stages = nn.ModuleList([Block(8, 8, 1), Block(8, 16, 2), Block(16, 16, 1)])
        self.head = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> Any:
        x = self.relu(self.stem_norm(self.stem(x)))
        for block in self.stages:
            x = block(x)
        x = x.mean((2, 3))
        return self.head(x) * 0.5


class Block(nn.Module):
    def __init__(self, inplanes: int, planes: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(planes)
        self.gate = Gate(planes)
        self.downsample: nn.Sequential | None = None
        if stride != 1 or inplanes != planes:
            self.downsample = nn.Sequential(
                nn.Conv2d(inplanes, planes, 1, stride=stride, bias=False), nn.BatchNorm2d(planes)
            )

    def forward(self, x: torch.Tensor) -> Any:
        identity = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        y = self.gate(y)
        y = y + identity
        return self.relu(y)


class Gate(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.reduce = nn.Conv2d(channels, channels // 4, 1)
        self.expand = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x: torch.Tensor) -> Any:
        scale = nn.functional.adaptive_avg_pool2d(x, 1)
        scale = nn.functional.silu(self.reduce(scale))
        scale = self.expand(scale).sigmoid()
        return x * scale
