"""What tests in child processes share: models, memory, and checks that nothing else happens."""

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

import bridge
from attack.state import collect, resident
from bridge.clr.find import assemblies

X = torch.linspace(0, 1, 3 * 24 * 24).reshape(1, 3, 24, 24)


def pnet() -> Any:
    """Load the sample Mtcnn.PNet, with the same weights each time."""
    torch.manual_seed(0)
    return bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet").eval()


def load(name: str, *args: Any) -> Any:
    """Load a model of the C# files in tests/mirror."""
    return bridge.load(os.environ["ASSEMBLY_MODELS"], f"Models.{name}", *args)


def extra(name: str, *args: Any) -> Any:
    """Load a model of Extra.cs."""
    return bridge.load(os.environ["ASSEMBLY_EXTRA"], f"Extra.{name}", *args)


def failing(name: str, *args: Any) -> Any:
    """Load a model of Failing.cs."""
    return bridge.load(os.environ["ASSEMBLY_FAILING"], f"Failing.{name}", *args)


def loaded(name: str) -> int:
    """Return the number of assemblies of a name that .NET has loaded."""
    from System import AppDomain

    return [str(a.GetName().Name) for a in AppDomain.CurrentDomain.GetAssemblies()].count(name)


def grown(work: Callable[[], object]) -> float:
    """Return the MiB by which a call of ``work`` makes the process grow, after a first call.

    A leak grows at each call, a heap only now and then: the least of three measurements.
    """
    figures = []
    for _ in range(4):
        work()
        collect()
        figures.append(resident())
    return min(after - before for before, after in pairwise(figures))


def raised(call: Callable[[], Any]) -> Any:
    """Return the exception that a call raises."""
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


@contextmanager
def nothing_on_stderr() -> Iterator[None]:
    """Check that nothing is written to standard error, also not by native code and by forked children until they end."""
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
    """Check that callbacks and threads raise nothing that nobody catches; yield what they have raised."""
    unraisable: list[Any] = []
    before = sys.unraisablehook, threading.excepthook
    sys.unraisablehook = threading.excepthook = unraisable.append
    try:
        yield unraisable
    finally:
        sys.unraisablehook, threading.excepthook = before
    assert unraisable == []
