"""Who owns a tensor when threads go on, dispose or rebind while others use it: an exception at worst, never the end of the process."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def test_a_thread_that_outlives_its_call_is_refused(together: Callable[..., None]) -> None:
    """It holds a tensor, a parameter or a child after ``forward`` returned: InvalidOperationException, or one that derives from it."""
    together("ownership", "threads_outlive_their_calls", 1)


@pytest.mark.slow
def test_many_threads_that_outlive_their_calls_are_refused(together: Callable[..., None]) -> None:
    """Whatever the timing."""
    together("ownership", "threads_outlive_their_calls", 100)


def test_weights_are_rebound_while_others_call(together: Callable[..., None]) -> None:
    """``load_state_dict(assign=True)``, assignment and rebound dictionaries beside three calling threads."""
    together("ownership", "rebinding", 100)


@pytest.mark.slow
def test_weights_are_rebound_while_others_call_for_long(together: Callable[..., None]) -> None:
    together("ownership", "rebinding", 10_000)


def test_tensors_are_disposed_on_other_threads(together: Callable[..., None]) -> None:
    """Threads of a pool dispose what ``forward`` makes while it makes more."""
    together("ownership", "disposed_elsewhere")


def test_a_constructor_runs_while_python_runs(together: Callable[..., None]) -> None:
    """It may wait for tasks that need the GIL, and for what Python does on other threads."""
    together("ownership", "a_constructor_waits")


def test_a_call_that_gets_no_handle_keeps_none(together: Callable[..., None]) -> None:
    """Nor does what came into a collection wait for its end."""
    together("ownership", "acquiring_fails")
