"""Models whose module paths are not meant for a terminal, for test_stdio.py."""

from __future__ import annotations

from typing import Any

from torch import nn


class Named(nn.Module):
    """Runs its one child, of any name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.add_module(name, nn.ReLU())

    def forward(self, x: Any) -> Any:
        return next(iter(self.children()))(x)


def escape() -> nn.Module:
    return Named("evil\x1b]0;owned")


def cyrillic() -> nn.Module:
    return Named("\u0441\u043b\u043e\u0439")


def raising() -> nn.Module:
    raise ValueError("evil\x1b]0;owned")
