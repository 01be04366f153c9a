"""Box arithmetic of the MTCNN cascade, on CPU tensors.

A box is a float32 row x1, y1, x2, y2 of pixels that are counted from 1. Its width is x2 - x1, or x2 - x1 + 1 where a net was trained with
the last pixel included (`inclusive`).
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor


def sides(boxes: Tensor) -> tuple[Tensor, Tensor]:
    """Return the widths x2 - x1 and heights y2 - y1 [n] of boxes [n, 4]."""
    return boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]


def shift(boxes: Tensor, offsets: Tensor, *, inclusive: bool) -> Tensor:
    """Move boxes [n, 4] by a net's offsets [n, 4], which are fractions of the box's sides.

    With `inclusive`, a side is one pixel longer, as in the training of R-Net and O-Net. P-Net was trained without that pixel.
    """
    width, height = sides(boxes)
    if inclusive:
        width, height = width + 1, height + 1
    return boxes + offsets * torch.stack([width, height, width, height], dim=1)


def square(boxes: Tensor) -> Tensor:
    """Extend boxes [n, 4] around their centers to squares of their longer sides."""
    width, height = sides(boxes)
    side = torch.maximum(width, height)
    left = boxes[:, 0] + width * 0.5 - side * 0.5
    top = boxes[:, 1] + height * 0.5 - side * 0.5
    return torch.stack([left, top, left + side, top + side], dim=1)


def windows(boxes: Tensor, height: int, width: int) -> Tensor:
    """Return boxes [n, 4] as int64 [n, 4], truncated to integers and clipped to a picture. A box outside the picture becomes empty."""
    low = torch.ones(2, dtype=torch.int64)
    high = torch.tensor([width, height], dtype=torch.int64)
    pixels = boxes.trunc().to(torch.int64)
    return torch.cat([torch.maximum(pixels[:, :2], low), torch.minimum(pixels[:, 2:], high)], dim=1)


def suppress(
    boxes: Tensor, scores: Tensor, threshold: float, *, share_of: Literal["union", "smaller"] = "union"
) -> Tensor:
    """Apply non-maximum suppression. Returns the indices int64 [k] of the boxes to keep, best score first, equal scores in order.

    A box is dropped if its intersection with a better, kept box is larger than `threshold` times the area of the two boxes' union.
    `share_of='smaller'`, for the last stage of the cascade, takes the area of the smaller box instead, and sides that are one pixel longer.
    """
    inclusive = 1.0 if share_of == "smaller" else 0.0
    width, height = sides(boxes)
    areas = (width + inclusive) * (height + inclusive)
    waiting = torch.argsort(scores, descending=True, stable=True)
    kept: list[Tensor] = []
    while waiting.numel():
        best, waiting = waiting[0], waiting[1:]
        kept.append(best)
        top_left = torch.maximum(boxes[best, :2], boxes[waiting, :2])
        bottom_right = torch.minimum(boxes[best, 2:], boxes[waiting, 2:])
        shared = (bottom_right - top_left + inclusive).clamp(min=0).prod(dim=1)
        rest = areas[waiting]
        area = torch.minimum(areas[best], rest) if share_of == "smaller" else areas[best] + rest - shared
        waiting = waiting[shared / area <= threshold]
    return torch.stack(kept) if kept else torch.empty(0, dtype=torch.int64)
