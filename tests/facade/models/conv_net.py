"""The PyTorch original of ConvNet.cs."""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import nn


class ConvNet(nn.Module):
    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            OrderedDict(
                conv1=nn.Conv2d(1, channels, kernel_size=3, padding=1),
                bn1=nn.BatchNorm2d(channels),
                relu1=nn.ReLU(),
                pool1=nn.MaxPool2d(2),
                conv2=nn.Conv2d(channels, 2 * channels, kernel_size=3, stride=2),
                relu2=nn.LeakyReLU(0.1),
                pool2=nn.AdaptiveAvgPool2d(2),
            )
        )
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(2 * channels * 4, 16)
        self.fc2 = nn.Linear(16, classes, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.features(x)
        x = self.dropout(torch.flatten(x, 1))
        x = nn.functional.relu(self.fc1(x))
        return nn.functional.log_softmax(self.fc2(x), dim=1)
