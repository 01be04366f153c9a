"""Unbounded recursion (issue: a .NET stack overflow cannot be caught): RecursionError, on every kind of thread, and the process goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize("size", [None, 0, 1 << 20], ids=["main", "thread", "small stack"])
@pytest.mark.parametrize("hook", ["none", "pre", "forward"])
def test_endless_recursion(together: Callable[..., None], hook: str, size: int | None) -> None:
    """Bare, C# recurses by itself; with a hook, every level goes through Python."""
    together("recursion", "endless", hook, size)


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
def test_a_deep_recursion_that_ends_works(together: Callable[..., None], hooked: bool) -> None:
    """500 levels in C#; with a hook, as many as Python's own limit lets through."""
    together("recursion", "deep", hooked)


def test_recursion_through_a_hook(together: Callable[..., None]) -> None:
    """A hook that calls its own module: Python's RecursionError or ours, and no crash."""
    together("recursion", "through_a_hook")
