"""Forked and spawned children (field notes 8): a fork has one of .NET's dozen threads, and any call would crash it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


@pytest.mark.parametrize("touch", ["call", "load", "record"])
def test_a_forked_child_that_touches_dotnet_gets_an_error(together: Callable[..., None], touch: str) -> None:
    """One RuntimeError that says what to do; the child still ends by itself."""
    together("fork", "touches", touch)


def test_a_forked_child_that_does_not_touch_it_is_fine(together: Callable[..., None]) -> None:
    """It computes with torch on one thread, and leaves with 0 by the long way."""
    together("fork", "untouched")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="forbids .NET's code where /proc says where it lies")
def test_nothing_that_python_does_by_itself_enters_dotnet(together: Callable[..., None]) -> None:
    """Collections, imports that fail, tests for abstract classes and names of modules come to pythonnet's types; calls of them raise."""
    together("fork", "unasked")


def test_finalizers_in_a_forked_child_do_nothing(together: Callable[..., None]) -> None:
    """Mirrors, results and C# hooks that die there call nothing in .NET; the parent's live on."""
    together("fork", "finalizers")


def test_multiprocessing_by_fork(together: Callable[..., None]) -> None:
    """A Process and a Pool of forked workers, some of which touch .NET."""
    together("fork", "by_multiprocessing")


def test_data_loader_workers(together: Callable[..., None]) -> None:
    """A DataLoader forks two workers while a mirror is alive; a data set that runs the model gets our error."""
    together("fork", "data_loader")


def test_a_child_that_was_forked_first_starts_its_own(alone: Callable[..., Any]) -> None:
    """Forked before .NET runs, parent and child each start one."""
    alone("fork", "forked_first")


def test_spawned_children_start_their_own(together: Callable[..., None]) -> None:
    """The way that the error recommends."""
    together("fork", "spawned")


@pytest.mark.slow
def test_forked_at_steps_of_the_start(alone: Callable[..., Any]) -> None:
    """Another thread is at a step of Python's own inside the start, every second in turn: the child is refused .NET in a sentence, neither
    hangs nor crashes, has the environment of before, and ends with 0 and silently; the parent's start goes on."""
    assert alone("forked_start", "at_every_second_step").stderr == ""


@pytest.mark.slow
def test_forked_at_any_time_of_the_start(alone: Callable[..., Any]) -> None:
    """The same at 100 times from the beginning of the start to its end, in native code too."""
    alone("forked_start", "at_any_time", 100)
