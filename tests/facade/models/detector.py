"""The PyTorch original of Detector.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Conv2d(3, 8, 3, padding=1)
        self.head = BoxHead(8, anchors=2)
        self.decoder = BoxDecoder(stride=4)

    def forward(self, image: torch.Tensor) -> Any:
        feature = self.backbone(image).relu()
        logits, offsets = self.head(feature)
        boxes = self.decoder((offsets, feature))
        return logits.sigmoid(), boxes, (logits, offsets)


class BoxHead(nn.Module):
    def __init__(self, channels: int, anchors: int) -> None:
        super().__init__()
        self.cls_logits = nn.Conv2d(channels, anchors, kernel_size=1)
        self.bbox_pred = nn.Conv2d(channels, anchors * 4, kernel_size=1)

    def forward(self, x: torch.Tensor) -> Any:
        return self.cls_logits(x), self.bbox_pred(x)


class BoxDecoder(nn.Module):
    def __init__(self, stride: int) -> None:
        super().__init__()
        self.stride = stride

    def forward(self, input: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        offsets, feature = input
        height, width = feature.shape[2:]
        ys = (torch.arange(height, dtype=torch.float32, device=feature.device) + 0.5) * self.stride
        xs = (torch.arange(width, dtype=torch.float32, device=feature.device) + 0.5) * self.stride
        grid = torch.meshgrid(ys, xs, indexing="ij")
        centre = torch.stack((grid[1], grid[0]), dim=-1).view(1, height * width, 1, 2)
        deltas = offsets.permute(0, 2, 3, 1).reshape(len(offsets), height * width, -1, 4)
        middle = centre + deltas[..., :2] * self.stride
        half = deltas[..., 2:].exp() * self.stride / 2
        return torch.cat((middle - half, middle + half), dim=-1).flatten(1, 2)
