"""Modules that the tests of TorchScript compile. TorchScript reads these lines, and understands no comments about types."""

# mypy: ignore-errors
# ruff: noqa: UP006, UP035, UP045

from typing import Dict, List, Optional, Tuple

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.bn = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.25)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        self.seen = self.seen + 1
        return self.drop(self.bn(self.fc(x)))


class Net(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.out = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("shift", torch.zeros(2))

    def forward(self, x):
        return self.out(self.inner(x)) * self.scale + self.shift

    @torch.jit.export
    def pair(self, x) -> Tuple[torch.Tensor, torch.Tensor]:
        return x, x + 1

    @torch.jit.export
    def three(self, x, y, n: int):
        return x + y * n

    @torch.jit.export
    def once(self, x: List[torch.Tensor]):
        return x[0]

    @torch.jit.export
    def many(self, x: List[torch.Tensor]) -> List[torch.Tensor]:
        return [i + 1 for i in x]

    @torch.jit.export
    def number(self, x: float) -> float:
        return x * 2

    @torch.jit.export
    def whole(self, x: int) -> int:
        return x * 2

    @torch.jit.export
    def truth(self, x: bool) -> bool:
        return not x

    @torch.jit.export
    def text(self, x: str) -> str:
        return x + "!"

    @torch.jit.export
    def table(self, x) -> Dict[str, torch.Tensor]:
        return {"a": x, "b": x + 1}

    @torch.jit.export
    def mixed(self, x) -> Tuple[torch.Tensor, int, List[torch.Tensor]]:
        return x, 3, [x]

    @torch.jit.export
    def none(self, x) -> None:
        return None

    @torch.jit.export
    def maybe(self, x: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
        return x

    @torch.jit.export
    def numbers(self, x: List[int]) -> List[int]:
        return [i + 1 for i in x]


class Two(nn.Module):
    def forward(self, x, y):
        return x * 10 + y
