"""The PyTorch originals of Ports.cs, and factories that go wrong."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 1)
        self.act = nn.ReLU()

    def forward(self, x: torch.Tensor) -> Any:
        return self.act(self.conv(x))


class Net(nn.Module):
    def __init__(self, momentum: float = 0.1, width: int = 144) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4, momentum=momentum)
        self.block = Block()
        self.head = nn.Linear(width, 2)

    def forward(self, x: torch.Tensor) -> Any:
        return self.head(self.block(self.norm(self.conv(x))).flatten(1))


class Bypassing(Net):
    def forward(self, x: torch.Tensor) -> Any:
        return self.head(self.block.forward(self.norm(self.conv(x))).flatten(1))


class Masked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> Any:
        return self.fc(x) if mask is None else self.fc(x) * mask


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, scale: float = 1.0, mask: torch.Tensor | None = None) -> Any:
        y = self.fc(x) * scale
        return y if mask is None else y * mask


class Calling(nn.Module):
    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scaled = Scaled()
        self.scale = scale

    def forward(self, x: torch.Tensor) -> Any:
        return self.scaled(x, mask=None, scale=self.scale)


class Settings(nn.Module):
    def __init__(self, log: bool = False) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.act = nn.GELU()
        self.pool = nn.MaxPool2d(2)
        self.dropout = nn.Dropout()
        self.log = log

    def forward(self, x: torch.Tensor) -> Any:
        x = self.pool(self.act(self.norm(self.conv(x))))
        return self.dropout((x - 100).log() if self.log else x)


class Logarithms(Settings):
    def __init__(self) -> None:
        super().__init__(log=True)


class Failing(Settings):
    def forward(self, x: torch.Tensor) -> Any:
        self.act(self.norm(self.conv(x)))
        raise ValueError("no pool today")


class Odd(nn.Module):
    """Returns what it was made with."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result

    def forward(self, x: torch.Tensor) -> Any:
        return self.result


class Slow(Block):
    """Says when its forward runs, and takes two hours."""

    def forward(self, x: torch.Tensor) -> Any:
        import time

        print("spinning", flush=True)  # noqa: T201  # the line that the test waits for
        for _ in range(72_000):
            time.sleep(0.1)
        return super().forward(x)


def raising() -> nn.Module:
    raise ValueError("the checkpoint is gone")


def exiting() -> nn.Module:
    raise SystemExit(7)


def needy(size: int) -> nn.Module:
    return nn.Linear(size, size)


def odd() -> nn.Module:
    return Odd(object())


def silent() -> nn.Module:
    return Odd((None, 1.5))


ready = nn.ReLU()
number = 7
