"""Whole ports of models that read settings objects, hand functions on and have methods that no run calls (issue 43, section 2)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.porting import Port

X = torch.rand(2, 3, 4)


def plain(module: nn.Module, x: torch.Tensor, scale: float | None = None, **kwargs: Any) -> torch.Tensor:
    if hasattr(module, "groups"):
        x = x * module.groups
    return F.scaled_dot_product_attention(x, x, x, scale=scale)


FUNCTIONS = {"plain": plain}


class Registry(dict[str, Any]):
    def function(self, name: str, default: Any) -> Any:
        return self.get(name, default)


REGISTRY = Registry(FUNCTIONS)


class Attending(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(kind="plain", width=4)
        self.scale = 0.5

    def resized(self, x: torch.Tensor, size: int) -> torch.Tensor:
        return x[:, :size]

    def forward(self, x: torch.Tensor, short: bool = False) -> torch.Tensor:
        if short:
            x = self.resized(x, self.config.width)
        function = REGISTRY.function(self.config.kind, plain)
        y: torch.Tensor = function(self, x, scale=self.scale)
        return y


def in_parts(function: Callable[..., torch.Tensor], *given: torch.Tensor) -> torch.Tensor:
    assert len(given) > 0, f"{given} is empty"
    if len(inspect.signature(function).parameters) != len(given):
        raise ValueError("the function takes others")
    return function(*given)


class Handing(nn.Module):
    def twice(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return in_parts(self.twice, x)


@pytest.fixture
def attending(ported: Callable[..., Port]) -> str:
    """Write the attending model."""
    port = ported(Attending, X)
    assert not port.left
    return port.files["Attending.cs"]


def test_a_function_that_is_given_the_module_is_a_method(attending: str) -> None:
    assert "return plain(x, scale: scale);" in attending or "plain(x, scale:" in attending
    assert "groups" not in attending


def test_a_scale_that_may_be_none_is_asked_for(attending: str) -> None:
    assert "scale is not null ?" in attending


def test_a_method_that_no_run_called_is_written(attending: str) -> None:
    assert "private Tensor resized(Tensor x, long size)" in attending


def test_a_method_that_is_handed_on_is_a_function(ported: Callable[..., Port]) -> None:
    port = ported(Handing, X)
    assert not port.left
    assert "function(given.Single())" in port.files["Functions.cs"]
    assert "if (1 != given.Length)" in port.files["Functions.cs"]
