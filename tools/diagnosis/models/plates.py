"""The PyTorch original of Plates.cs."""

from __future__ import annotations

import torch
from torch import nn


class Plates(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(6)
        self.act1 = nn.PReLU(6)
        self.pool1 = nn.MaxPool2d(2, stride=2)
        self.conv2 = nn.Conv2d(6, 6, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(6, eps=1e-3, momentum=0.05)
        self.act2 = nn.LeakyReLU(0.1)
        self.pool2 = nn.AvgPool2d(2, padding=1, count_include_pad=False)
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(96, 12)
        self.fc2 = nn.Linear(12, 5)

    def _standardized(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean((2, 3), keepdim=True)
        variance = x.var((2, 3), unbiased=False, keepdim=True)
        return (x - mean) / (variance + 0.001).sqrt()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self._standardized(x)
        x = self.act1(self.norm1(self.conv1(x)))
        x = self.pool1(x)
        x = nn.functional.pad(x, (1, 0, 0, 1))
        x = self.act2(self.norm2(self.conv2(x)))
        x = self.pool2(x)
        x = self.dropout(x.flatten(1))
        x = self.fc1(x).relu()
        return nn.functional.log_softmax(self.fc2(x), dim=1)
