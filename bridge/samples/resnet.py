"""ResNet-18 (He et al., 2015) as a PyTorch module whose children have the same names as in torchvision.

It is the original of the C# net in dotnet/samples/Vision. It can load a state_dict of torchvision's ResNet-18. Its convolutions
have PyTorch's default initial weights, unlike torchvision's convolutions.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BasicBlock(nn.Module):
    """Two convolutions and a shortcut connection. Input: [n, inplanes, h, w]. Result: [n, planes, h / stride, w / stride], rounded up."""

    def __init__(self, inplanes: int, planes: int, stride: int = 1) -> None:
        super().__init__()
        downsample = None
        if stride != 1 or inplanes != planes:
            downsample = nn.Sequential(nn.Conv2d(inplanes, planes, 1, stride, bias=False), nn.BatchNorm2d(planes))
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += x if self.downsample is None else self.downsample(x)
        result: Tensor = self.relu(out)
        return result


class ResNet18(nn.Module):
    """A classifier of pictures. Input: float32 [n, 3, h, w]. Result: a score for each class, float32 [n, classes]."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = _layer(64, 64, stride=1)
        self.layer2 = _layer(64, 128, stride=2)
        self.layer3 = _layer(128, 256, stride=2)
        self.layer4 = _layer(256, 512, stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        x = torch.flatten(self.avgpool(x), 1)
        scores: Tensor = self.fc(x)
        return scores


def _layer(inplanes: int, planes: int, stride: int) -> nn.Sequential:
    return nn.Sequential(BasicBlock(inplanes, planes, stride), BasicBlock(planes, planes))
