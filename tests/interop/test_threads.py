"""Threads (issue, acceptance 6): 8 Python threads, one mirrored model, hooks in Python on every module, 500 calls each."""

from __future__ import annotations

from collections.abc import Callable


def test_results_hooks_and_traces(together: Callable[..., None]) -> None:
    """Each call's result, the order of its hooks, and its own trace: complete, in order, nobody else's events."""
    together("threads", "results_hooks_and_traces")


def test_one_recording_for_all_calls_of_a_thread(together: Callable[..., None]) -> None:
    """Without hooks .NET records by itself, on 8 threads at once: 500 root calls a trace."""
    together("threads", "one_recording_a_thread")


def test_hooks_come_and_go_while_others_call(together: Callable[..., None]) -> None:
    """Half of the threads register and remove, swap weights for equal ones and toggle modes; results stay right."""
    together("threads", "hooks_come_and_go")
