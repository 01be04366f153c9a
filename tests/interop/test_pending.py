"""Python code that runs below an ABI call and raises (field notes 6, 'worst trap'): the same object arrives, and the process goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
def test_saved_tensors_hooks(together: Callable[..., None], hooked: bool) -> None:
    """A pack hook raises while C#'s operators save their tensors; nothing of C# sees it but as an exception."""
    together("pending", "saved_tensors", hooked)


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
def test_dispatch_mode(together: Callable[..., None], hooked: bool) -> None:
    """A TorchDispatchMode sees the operators of C#, and may refuse one."""
    together("pending", "dispatch_mode", hooked)


def test_operators_with_a_number(together: Callable[..., None]) -> None:
    together("pending", "operators_with_a_number")


def test_dispatch_subclass(together: Callable[..., None]) -> None:
    """An input whose class computes its operators in Python: its results pass through C#, and so do its errors."""
    together("pending", "dispatch_subclass")


def test_what_csharp_swallows(together: Callable[..., None]) -> None:
    """A C# catch takes an Exception and none stays pending; an interrupt passes all the same (A-4)."""
    together("pending", "swallowed")


def test_checkpoint(together: Callable[..., None]) -> None:
    """Non-reentrant checkpoint: its early stop is an exception from a pack hook, on the autograd engine's thread or ours."""
    together("pending", "checkpoints")
