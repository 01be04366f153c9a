"""Unbounded recursion raises RecursionError on every kind of thread: .NET cannot catch a stack overflow."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.interop.helpers import X, load, pnet, raised

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(shared=True)]


X1 = torch.ones(1)


def check_new_model() -> None:
    """Check that a new model works."""
    assert torch.equal(load("Countdown", 3)(X1), X1 + 1)


def on_thread(work: Callable[[], Any], size: int | None = 0) -> Any:
    """Return the result of ``work`` on a thread with a stack of ``size`` bytes (0: the default), or on this thread (None)."""
    if size is None:
        return work()
    results = []
    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=lambda: results.append(work()))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(results) == 1, "the thread did not end"
    return results[0]


@pytest.mark.parametrize("size", [None, 0, 1 << 20], ids=["main", "thread", "small stack"])
@pytest.mark.parametrize("kind", ["none", "pre", "forward"])
def test_endless_recursion(kind: str, size: int | None) -> None:
    """Bare, C# recurses by itself; with a hook, every level goes through Python."""
    model = load("Endless")
    fired = 0

    def hook(*_: Any) -> None:
        nonlocal fired
        fired += 1

    if kind == "pre":
        model.register_forward_pre_hook(hook)
    elif kind == "forward":
        model.register_forward_hook(hook)
    for _ in range(2):
        error = on_thread(lambda: raised(lambda: model(X1)), size)
        assert isinstance(error, RecursionError), repr(error)[:2000]
        assert kind != "pre" or fired > 20
        check_new_model()


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
def test_a_deep_recursion_that_ends_works(hooked: bool) -> None:
    """500 levels in C#; with a hook, as many as Python's own limit lets through."""
    levels = 60 if hooked else 500
    model = load("Countdown", levels)
    fired = []
    if hooked:
        model.register_forward_hook(lambda *_: fired.append(1))
    for _ in range(3):
        assert torch.equal(on_thread(lambda: model(X1), None), X1 + 1)
        assert torch.equal(on_thread(lambda: model(X1)), X1 + 1)
    assert len(fired) == (6 * levels if hooked else 0)


def test_recursion_through_a_hook() -> None:
    """A hook that calls its own module: Python's RecursionError or ours, and no crash."""
    model = pnet()
    model.conv2.register_forward_hook(lambda *_: model(X) and None)
    for _ in range(2):
        assert isinstance(raised(lambda: model(X)), RecursionError)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)  # Python's own limit is no help now
    try:
        error = raised(lambda: model(X))
    finally:
        sys.setrecursionlimit(before)
    assert isinstance(error, RecursionError), repr(error)[:2000]
    check_new_model()
