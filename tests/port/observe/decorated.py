"""Models with decorators, private names and state, whose methods are read and observed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn


def weighted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a loss so that it takes a weight."""

    @functools.wraps(function)
    def wrapper(*args: Any, weight: float = 2.0) -> Any:
        return function(*args) * weight

    return wrapper


def same(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function without a change."""
    return function


def passing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function so that all arguments are passed on."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


@passing
def passed(x: torch.Tensor) -> torch.Tensor:
    """Return the tensor."""
    return x


@weighted
def loss(x: torch.Tensor) -> torch.Tensor:
    """Return the squares."""
    return x * x


@functools.cache
def kept(size: int) -> float:
    """Return a number that is computed once."""
    return size / 2


class Plain(nn.Module):
    """A forward in a context of PyTorch, and harmless decorators."""

    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return what the helpers compute."""
        return self.helper(x) + self.other(x)

    @same
    @torch.inference_mode
    def helper(self, x: torch.Tensor) -> torch.Tensor:
        """Return the sine."""
        return torch.sin(x)

    @torch.jit.unused
    def other(self, x: torch.Tensor) -> torch.Tensor:
        """Return the cosine."""
        return torch.cos(x)


class Weighted(nn.Module):
    """A loss with a decorator that changes it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the weighted loss."""
        return loss(x).mean()


class Private(nn.Module):
    """Names that the compiler mangles."""

    def __init__(self) -> None:
        super().__init__()
        self.__linear = nn.Linear(3, 3)
        self.__scale = 1.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scaled result."""
        return self.__scaled(self.__linear(x))

    def __scaled(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.__scale
