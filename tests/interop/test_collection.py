"""Collected callbacks, handles and memory (field notes 6 and 8): nothing dies early, nothing stays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

linux = pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")


def test_collections_while_hooks_fire(together: Callable[..., None]) -> None:
    """6: callbacks that .NET knows by address, and hooks in both languages, outlive storms of both collectors."""
    together("collection", "while_hooks_fire")


@linux
def test_register_call_remove_rounds(alone: Callable[..., Any]) -> None:
    """6: 10,000 rounds with a Python hook add less than 160 bytes each; what .NET holds returns to the start."""
    alone("collection", "rounds_of_python_hooks")


@linux
def test_register_call_remove_rounds_in_csharp(alone: Callable[..., Any]) -> None:
    """6: the same with a hook that C# registers and removes in each call: its Python entries go too."""
    alone("collection", "rounds_of_csharp_hooks")


@linux
@pytest.mark.parametrize("grad", [False, True], ids=["no grad", "grad"])
def test_calls_keep_memory(alone: Callable[..., Any], grad: bool) -> None:
    """6: 1,000 calls after warm-up; .NET's first generation is capped."""
    alone("collection", "calls", grad)


def test_a_dropped_model_leaves_dotnet(alone: Callable[..., Any]) -> None:
    """6, 8: its .NET side goes with its mirror, hooks, results and references from both languages included."""
    alone("collection", "a_dropped_model")


def test_a_part_keeps_its_model_usable(together: Callable[..., None]) -> None:
    """8: only a child is kept, or only a hook's handle: it works, or says what is gone; nothing is freed under it."""
    together("collection", "a_part_alone")


def test_temporaries(together: Callable[..., None]) -> None:
    """6: a tensor that only the call's arguments hold is alive until .NET has its own reference, and results own theirs."""
    together("collection", "temporaries")
