"""Leaving the process (field notes 1 and 8): its own exit code, by itself and silently, whatever is alive on both sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

CODES = (0, 1, 3)
#: The others take long.
FIRST_CODE = (0, *(pytest.param(code, marks=pytest.mark.slow) for code in CODES[1:]))


def _leave(alone: Callable[..., Any], function: str, code: int, *arguments: object) -> None:
    done = alone("exit", function, code, *arguments, returncode=code)
    if code == 1:
        lines = done.stderr.splitlines()
        assert (lines[0], lines[-1]) == ("Traceback (most recent call last):", "ValueError: uncaught")
        assert done.stderr.count("Traceback") == 1
    else:
        assert done.stderr == ""


@pytest.mark.parametrize("returncode", CODES)
def test_with_graphs_and_hooks_alive(alone: Callable[..., Any], returncode: int) -> None:
    """1: the last reference to a tensor that autograd saved dies while Python goes."""
    _leave(alone, "graphs", returncode)


@pytest.mark.parametrize("returncode", FIRST_CODE)
def test_with_tensors_over_dotnets_arrays(alone: Callable[..., Any], returncode: int) -> None:
    """8: libtorch frees memory of .NET's, on Python's threads and while Python goes; nothing of .NET is called then."""
    _leave(alone, "arrays", returncode)


@pytest.mark.parametrize("returncode", FIRST_CODE)
def test_with_garbage_of_both_collectors(alone: Callable[..., Any], returncode: int) -> None:
    """1, 8: C# tensors wait for finalizers, and .NET collects while the process leaves."""
    _leave(alone, "garbage", returncode)


@pytest.mark.parametrize(("returncode", "first"), [*((code, "bridge") for code in CODES), (0, "pythonnet")])
def test_with_methods_of_dotnets_kept(alone: Callable[..., Any], returncode: int, first: str) -> None:
    """1: pythonnet's bound methods die with the last names. Python 3.13 renamed what it asks then, and the process aborted."""
    _leave(alone, "methods", returncode, first)


@pytest.mark.parametrize("returncode", FIRST_CODE)
def test_with_clr_loaders_destructor_at_the_very_end(alone: Callable[..., Any], returncode: int) -> None:
    """1: it needs modules that are gone by then, and Python would print that it failed."""
    _leave(alone, "late_destructor", returncode)


@pytest.mark.parametrize("returncode", FIRST_CODE)
def test_with_a_daemon_thread_that_keeps_calling(alone: Callable[..., Any], returncode: int) -> None:
    """1: a Python thread is inside .NET when the interpreter goes."""
    _leave(alone, "daemon", returncode)


@pytest.mark.parametrize(
    ("returncode", "what"),
    [
        pytest.param(code, what, marks=[] if at == place else pytest.mark.slow)
        for at, code in enumerate(CODES)
        for place, what in enumerate(("allocate", "collect", "call"))
    ],
)
def test_with_a_dotnet_thread(alone: Callable[..., Any], returncode: int, what: str) -> None:
    """1: a .NET thread allocates tensors, forces collections or calls a listened child while the interpreter goes."""
    _leave(alone, "restless", returncode, what)


def test_pythonnets_unload_does_not_run(alone: Callable[..., Any]) -> None:
    """1: pythonnet's exit handler would wait for finalizers while it holds the GIL."""
    done = alone("exit", "without_unload")
    assert done.stdout.splitlines() == ["reached", "at exit"]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["this thread", "another"])
def test_a_model_that_ends_the_process(alone: Callable[..., Any], elsewhere: bool) -> None:
    """1: ``Environment.Exit(5)`` in C# ends it with that code, also while another Python thread calls .NET. pythonnet's own handler
    would collect up to 80 times first, which took 30 s."""
    done = alone("exit", "ended_by_csharp", elsewhere, returncode=5)
    assert done.stdout.count("collected") < 10


def test_nothing_is_destroyed_under_threads_when_csharp_ends_the_process(alone: Callable[..., Any]) -> None:
    """1: ``Environment.Exit`` while Python's threads may be in any operator: C's buffers are written, its exit handlers, libtorch's among
    them, do not run."""
    done = alone("exit", "ended_under_threads", returncode=5)
    assert sorted(done.stdout.splitlines()) == ["buffered", "reached"]
