"""A module that shows the difference between `__call__` and `forward`: the original of dotnet/samples/Mtcnn/TrapConv.cs."""

from __future__ import annotations

from torch import Tensor, nn


class TrapConv(nn.Module):
    """A module that runs its child `conv` by `__call__` or, if `by_call` is False, by `forward`, which fires no hooks.

    Input: float32 [3, h, w] or [n, 3, h, w]. Result: float32 [16, h - 2, w - 2] or [n, 16, h - 2, w - 2].
    """

    def __init__(self, by_call: bool) -> None:
        super().__init__()
        self.by_call = by_call
        self.conv = nn.Conv2d(3, 16, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x) if self.by_call else self.conv.forward(x)
