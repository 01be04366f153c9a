"""What every snippet may use: models, collections, counts, and what must stay as it was where snippets share a process."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import torch
from attack.state import collect, resident

import bridge
from bridge.clr.find import assemblies

X = torch.linspace(0, 1, 3 * 24 * 24).reshape(1, 3, 24, 24)
#: The assemblies of the C# that tests compile, by the name of the function that loads from them.
COMPILED: dict[str, str] = {}


def reached() -> None:
    """A snippet got as far as it should: :func:`run.alone` says so at its end, one that ends its process before that says it itself."""
    sys.stdout.write("reached\n")
    sys.stdout.flush()


def pnet() -> Any:
    """The sample Mtcnn.PNet, the same each time."""
    torch.manual_seed(0)
    return bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet").eval()


def load(name: str, *args: Any) -> Any:
    """A model of the C# files in tests/mirror."""
    return bridge.load(COMPILED["load"], f"Models.{name}", *args)


def extra(name: str, *args: Any) -> Any:
    """A model of Extra.cs."""
    return bridge.load(COMPILED["extra"], f"Extra.{name}", *args)


def failing(name: str, *args: Any) -> Any:
    """A model of Failing.cs."""
    return bridge.load(COMPILED["failing"], f"Failing.{name}", *args)


def grown(work: Callable[[], object]) -> float:
    """MiB by which ``work`` makes the process grow each time, after a first time that warms up.

    A leak comes every time. Heaps take room from the system now and then, and give it back as late: the least of three counts.
    """
    figures = []
    for _ in range(4):
        work()
        collect()
        figures.append(resident())
    return min(after - before for before, after in pairwise(figures))


def raised(call: Callable[[], Any]) -> Any:
    """The exception that a call raises."""
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


@contextmanager
def nothing_on_stderr() -> Iterator[None]:
    """Nothing may be written there, by native code and by forked children neither, to their very end."""
    mine = os.getpid()
    sys.stderr.flush()
    before = os.dup(2)
    with tempfile.TemporaryFile("w+b") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            if os.getpid() == mine:  # a forked child that ends here keeps the file as its stderr
                sys.stderr.flush()
                os.dup2(before, 2)
                os.close(before)
        file.seek(0)
        written = file.read()
    assert written == b"", written.decode(errors="replace")


@contextmanager
def nothing_unraisable() -> Iterator[list[Any]]:
    """Nothing may be raised where nobody catches it: in a callback, in a thread. Gives what was."""
    unraisable: list[Any] = []
    before = sys.unraisablehook, threading.excepthook
    sys.unraisablehook = threading.excepthook = unraisable.append
    try:
        yield unraisable
    finally:
        sys.unraisablehook, threading.excepthook = before
    assert unraisable == []
