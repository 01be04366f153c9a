"""PyPI's torchvision beside a PyTorch for the CPU alone."""

from __future__ import annotations

import torch

_library: torch.library.Library | None = None


def without_torchvision_operators() -> None:
    """Register two operators' names so that torchvision imports without its compiled operators."""
    global _library
    if _library is None:
        _library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            _library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
