"""Exceptions and outcomes at the boundary (A-4): whatever runs in between, a call's result or exception is its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES = (
    "re_entry_profile",
    "re_entry_trace",
    "re_entry_collection",
    "re_entry_signal",
    "re_entry_load",
    "interrupt_then_an_error",
    "interrupt_then_a_failure_of_csharp",
    "causes",
    "thrown_twice",
    "handled_frames",
    "frames_of_tasks",
    "tensors_of_frames",
    "kept_by_csharp",
    "tasks_have_causes",
    "tasks_have_interrupts",
    "odd_exceptions",
    "context_of_a_failure",
)


@pytest.mark.parametrize("case", CASES)
def test_outcome(together: Callable[..., None], case: str) -> None:
    """The docstring of the function in ``snippets/outcomes.py`` says what holds."""
    together("outcomes", case)


@pytest.mark.slow
def test_re_entry_by_signals_for_long(together: Callable[..., None]) -> None:
    """20,000 calls under a timer whose handler runs other models."""
    together("outcomes", "re_entry_signal_long")
