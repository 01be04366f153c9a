"""Tensors/Lifetime/LargeTensor.cs: large tensors that nothing leads to are freed while a call goes on, and no others.

Each place that may lead to one is tried while many others are made and freed, in the thread's first call and in later ones.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import bridge

X = torch.arange(256.0 * 256).view(256, 256)
PLACES = (
    *("local", "field", "closure", "list", "dictionary of arrays", "view", "span", "storage", "accessor", "handle"),
    *("scope", "detached", "disposed", "finalizer", "task", "child", "caught"),
)


@pytest.mark.parametrize("place", PLACES)
@torch.no_grad()
def test_what_a_model_uses_is_not_freed(load: Callable[..., Any], place: str) -> None:
    model = load("Large")
    for _ in range(3):
        assert torch.equal(model(X, place), X * 3)


@torch.no_grad()
def test_a_small_view_keeps_what_it_is_a_view_of(load: Callable[..., Any]) -> None:
    model = load("Large")
    for _ in range(2):
        assert torch.equal(model(X, "small view"), (X * 3)[0].expand(256, 256))


def test_autograd_keeps_what_it_saved(load: Callable[..., Any]) -> None:
    model = load("Large")
    for _ in range(2):
        x = torch.rand(256, 256, requires_grad=True)
        y = x.detach().requires_grad_()
        expected = (y * y).exp().log() * y
        result = model(x, "graph")
        assert torch.equal(result, expected)
        result.sum().backward()
        expected.sum().backward()
        assert x.grad is not None
        assert y.grad is not None
        assert torch.equal(x.grad, y.grad)


@torch.no_grad()
def test_results_are_pythons_own(load: Callable[..., Any]) -> None:
    model = load("Large")
    results = [model(X + number, "local") for number in range(4)]
    gc.collect()
    model(X, "child")
    for number, result in enumerate(results):
        assert torch.equal(result, (X + number) * 3)


@torch.no_grad()
def test_what_python_hooks_keep_stays(load: Callable[..., Any]) -> None:
    model = load("Large")
    kept: list[Tensor] = []
    model.child.register_forward_hook(lambda _, args, output: kept.extend((*args, output)))
    for number in range(3):
        assert torch.equal(model(X + number, "child"), (X + number) * 3)
    gc.collect()
    for number in range(3):
        assert torch.equal(kept[2 * number], X + number)
        assert torch.equal(kept[2 * number + 1], (X + number) * 3)


@torch.no_grad()
def test_what_csharp_hooks_keep_stays(load: Callable[..., Any]) -> None:
    model = load("Large", True)
    for number in range(3):
        assert torch.equal(model(X + number, "child"), (X + number) * 3)
    from System import GC

    GC.Collect()
    model(X, "local")
    shown = load("Shown")(X)
    assert torch.equal(shown, torch.stack([(X + number) * 3 for number in range(3)]))


@torch.no_grad()
def test_a_call_that_fails_leaves_the_next_one_alone(load: Callable[..., Any]) -> None:
    model = load("Large")
    for _ in range(3):
        with pytest.raises(bridge.DotNetError, match="2"):
            model(X, "thrown")
        assert torch.equal(model(X, "local"), X * 3)


def test_threads_call_one_model(load: Callable[..., Any]) -> None:
    model = load("Large")
    wrong: list[str] = []

    def calls(number: int) -> None:
        with torch.no_grad():
            for place in ("local", "view", "child", "caught", "scope", "task"):
                if not torch.equal(model(X + number, place), (X + number) * 3):
                    wrong.append(f"{number} {place}")

    threads = [threading.Thread(target=calls, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_methods_that_work_on_tensors_are_optimized_at_once(load: Callable[..., Any]) -> None:
    """Interop/Loading/OptimizationFlags.cs: otherwise their first calls would keep what they make until they end."""
    assert load("Optimized")(X).tolist() == [1, 1, 1, 0, 0]


@pytest.mark.parametrize("how", ["tensors", "layers", "small tensors", "scopes", "static"])
def test_what_a_constructor_drops_is_freed(load: Callable[..., Any], how: str) -> None:
    """While it goes on, as in a call: else 20 initializations of a weight take 20 times its memory."""
    assert 0 < load("Initialized", how).Made < (200 if how != "small tensors" else 12800)


@pytest.mark.parametrize("how", ["local", "field", "list", "closure", "static field", "parameter", "moved", "bytes"])
def test_what_a_constructor_uses_is_not_freed(load: Callable[..., Any], how: str) -> None:
    x = torch.arange(float(1 << 16))
    model = load("Initialized", how)
    assert torch.equal(model(x), x)
    assert not model.Scoped
