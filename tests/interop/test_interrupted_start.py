"""Ctrl-C while .NET starts (field notes 1 and 2): KeyboardInterrupt whenever it comes, and the next start works."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each start is a forked child's")


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_at_steps_of_the_start(alone: Callable[..., Any], every: int) -> None:
    """A-4: SIGINT at Python's own steps inside the start, one process each."""
    alone("interrupted_start", "at_every", every)


@pytest.mark.slow
def test_at_any_time(alone: Callable[..., Any]) -> None:
    """A-4: SIGINT from outside, at 200 times from the beginning of the start to its end."""
    alone("interrupted_start", "at_any_time", 200)
