"""The PyTorch original of UNet.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class UNet(nn.Module):
    def __init__(self, channels: int, classes: int, width: int = 8) -> None:
        super().__init__()
        self.inc = DoubleConv(channels, width)
        self.down1 = Down(width, 2 * width)
        self.down2 = Down(2 * width, 4 * width)
        self.up1 = Up(4 * width, 2 * width, bilinear=False)
        self.up2 = Up(2 * width, width, bilinear=True)
        self.outc = nn.Conv2d(width, classes, kernel_size=1)

    def forward(self, x: torch.Tensor) -> Any:
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x = self.up1(x3, x2)
        x = self.up2(x, x1)
        return self.outc(x)


class DoubleConv(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(out_channels, out_channels, kernel_size=3, padding=1, bias=False),
            nn.GroupNorm(2, out_channels),
            nn.ReLU(inplace=True),
        )

    def forward(self, x: torch.Tensor) -> Any:
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(in_channels, out_channels))

    def forward(self, x: torch.Tensor) -> Any:
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, bilinear: bool) -> None:
        super().__init__()
        self.up = (
            nn.Sequential(
                nn.Upsample(scale_factor=(2.0, 2.0), mode="bilinear", align_corners=True),
                nn.Conv2d(in_channels, out_channels, 1),
            )
            if bilinear
            else nn.ConvTranspose2d(in_channels, out_channels, kernel_size=2, stride=2)
        )
        self.conv = DoubleConv(2 * out_channels, out_channels)

    def forward(self, x1: torch.Tensor, x2: torch.Tensor) -> Any:
        x1 = self.up(x1)
        diff_y = x2.size(2) - x1.size(2)
        diff_x = x2.size(3) - x1.size(3)
        x1 = nn.functional.pad(x1, (diff_x // 2, diff_x - diff_x // 2, diff_y // 2, diff_y - diff_y // 2))
        return self.conv(torch.cat((x2, x1), dim=1))
