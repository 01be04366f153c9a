"""Modules/Containers/Sequential.cs: what one built-in makes for the next is freed at once, unless a hook has seen it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import bridge


def test_what_nobody_else_has_is_freed_before_the_chain_has_run(load: Callable[..., Any]) -> None:
    assert load("Chain")(torch.ones(2)).tolist() == [2, 0]


def test_what_a_hook_has_seen_is_not(load: Callable[..., Any]) -> None:
    freed, unusable = load("Chain", True)(torch.ones(2)).tolist()
    assert (freed, unusable) == (0, 0)


def test_the_gradient_goes_through_what_was_freed(load: Callable[..., Any]) -> None:
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    layers = load("Chain").layers
    del layers[3]
    layers(x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 1.0]


def test_an_object_that_is_used_again_has_each_layers_own_values(load: Callable[..., Any]) -> None:
    """Built-ins around modules that keep what they are given or fail, small and large results; .NET holds no more after each."""
    model = load("Reused")
    live = set()
    for size in (3, 1 << 17, 3, 1 << 17, 5):
        x = torch.randn(size, requires_grad=True)
        y, kept, count = model(x)
        assert torch.equal(y, (x.relu() + 1).sigmoid().tanh() * 3)
        assert torch.equal(kept, x.relu().tanh().relu())
        y.sum().backward()
        assert x.grad is not None
        with pytest.raises(bridge.DotNetError, match="on purpose"):
            model(torch.full((7,), -7.0))
        live.add(count.item())
    assert len(live) == 1
