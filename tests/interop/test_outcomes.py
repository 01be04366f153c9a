"""Exceptions and outcomes at the boundary (A-4): whatever runs in between, a call's result or exception is its own."""

from __future__ import annotations

import gc
import os
import signal
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import torch

import bridge
from tests.interop.helpers import failing, grown, nothing_unraisable, raised

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(shared=True)]


X = torch.arange(2.0)


OTHER = torch.full((3,), 7.0)


@contextmanager
def checked() -> Iterator[None]:
    """Check that nothing is raised that nobody catches, and that a model works afterwards."""
    with nothing_unraisable():
        yield
    assert torch.equal(failing("Leaf")(X), X)


def raising(error: BaseException) -> Callable[..., None]:
    def hook(*_: object) -> None:
        raise error

    return hook


def hooked(model: torch.nn.Module, child: str, error: BaseException) -> Any:
    return model.get_submodule(child).register_forward_hook(raising(error))


class Others:
    """Runs models of its own, of every outcome, and is not run by what it runs."""

    def __init__(self) -> None:
        self.both, self.failing, self.leaf = failing("Both", 5.0), failing("Handler", "then another"), failing("Leaf")
        self.raising = failing("Handler", "plain")
        self.mine = KeyError("another call's")
        hooked(self.raising, "first", self.mine)
        self.busy = False
        self.ran = 0

    def __call__(self) -> None:
        if self.busy:
            return
        self.busy = True
        try:
            added, multiplied = self.both(OTHER)
            assert torch.equal(added, OTHER + 5)
            assert torch.equal(multiplied, OTHER * 5)
            assert torch.equal(self.leaf(OTHER), OTHER)
            assert raised(lambda: self.raising(OTHER)) is self.mine
            assert getattr(raised(lambda: self.failing(OTHER)), "dotnet_message", None) == "unrelated"
            self.ran += 1
        finally:
            self.busy = False


@contextmanager
def profiled(others: Others) -> Iterator[None]:
    sys.setprofile(lambda *_: others())
    try:
        yield
    finally:
        sys.setprofile(None)


@contextmanager
def traced(others: Others) -> Iterator[None]:
    def trace(*_: object) -> Any:
        sys.settrace(None)
        try:
            others()
        finally:
            sys.settrace(trace)
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)


@contextmanager
def collected(others: Others) -> Iterator[None]:
    """Run others in a ``__del__`` at every garbage collection."""

    class Garbage:
        def __init__(self) -> None:
            self.myself = self

        def __del__(self) -> None:
            if on:
                others()
                Garbage()

    on = [True]
    before = gc.get_threshold()
    Garbage()
    gc.set_threshold(1)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        on.clear()


@contextmanager
def signalled(others: Others) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, lambda *_: others())
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def outcomes(way: Callable[[Others], Any], times: int) -> None:
    """Check that each call has its own result or exception, whatever runs between the call and its result."""
    others = Others()
    both, alone, wrapped = failing("Both", 3.0), failing("Handler", "again alone"), failing("Handler", "plain")
    pair = failing("Handler", "plain")
    mine = ValueError("mine")
    hooked(wrapped, "second", mine)
    pair.get_submodule("first").register_forward_pre_hook(lambda _, args: (args[0] + 1,))
    problems: list[BaseException] = []
    with way(others):
        for _ in range(times):
            try:
                added, multiplied = both(X)
                single = pair(X)
                first, second = raised(lambda: wrapped(X)), raised(lambda: alone(X))
            except BaseException as error:
                problems.append(error)
                continue
            if not (torch.equal(added, X + 3) and torch.equal(multiplied, X * 3) and torch.equal(single, X + 1)):
                problems.append(AssertionError(f"{added} {multiplied} {single}"))
            if first is not mine or getattr(second, "dotnet_message", None) != "again" or second.__cause__ is not None:
                problems.append(AssertionError(f"{first!r} {second!r} of {second.__cause__!r}"))
    assert others.ran > 0, "nothing ran in between"
    assert not problems, [repr(problem)[:500] for problem in problems[:5]]


@checked()
def test_re_entry_profile() -> None:
    outcomes(profiled, 1)


@checked()
def test_re_entry_trace() -> None:
    outcomes(traced, 3)


@checked()
def test_re_entry_collection() -> None:
    outcomes(collected, 20)


@pytest.mark.skipif(os.name != "posix", reason="timers that send signals are POSIX's")
@pytest.mark.parametrize("calls", [300, pytest.param(20_000, marks=pytest.mark.slow)])
@checked()
def test_re_entry_signal(calls: int) -> None:
    """A timer's handler runs other models."""
    outcomes(signalled, calls)


@checked()
def test_re_entry_load() -> None:
    """Descriptions and tensors of a model that is being loaded are its own."""
    busy = [False]

    def other(*_: object) -> None:
        if not busy[0]:
            busy[0] = True
            try:
                failing("Both", 1.0)
            finally:
                busy[0] = False

    sys.setprofile(other)
    try:
        model = failing("Handler", "plain")
    finally:
        sys.setprofile(None)
    assert [name for name, _ in model.named_modules()] == ["", "first", "second"]


@checked()
def test_interrupt_then_an_error() -> None:
    """A-4: C# swallows an interrupt, then another Python error: the interrupt is raised, however the call ends."""
    for what, error in (("swallow both", ValueError()), ("swallow one", ValueError()), ("swallow both", SystemExit(3))):
        for mine in (KeyboardInterrupt(), SystemExit(4)):
            model = failing("Handler", what)
            hooked(model, "first", mine)
            hooked(model, "second", error)
            found = raised(lambda: model(X))
            assert found is mine, (what, error, mine, found)
    error = ValueError()
    model = failing("Handler", "swallow both")
    mine = KeyboardInterrupt()
    hooked(model, "first", error)
    hooked(model, "second", mine)
    assert raised(lambda: model(X)) is mine


@checked()
def test_interrupt_then_a_failure_of_csharp() -> None:
    """A-4: the same where C# itself throws afterwards."""
    for what in ("then another", "then an operator", "in a handler", "in a finally", "inside", "again"):
        model = failing("Handler", what)
        mine = KeyboardInterrupt()
        hooked(model, "first", mine)
        assert raised(lambda: model(X)) is mine, what


@checked()
def test_causes() -> None:
    """An exception that C# throws while it handles a Python one, or around it, has that one as its cause; a later one has none."""
    for what, message, related in (
        ("then another", "unrelated", False),
        ("in a handler of another", "another", False),
        ("in a handler", "another", True),
        ("in a finally", "another", True),
        ("inside", "outer", True),
        ("again", "again", True),
    ):
        model = failing("Handler", what)
        mine = ValueError(what)
        hooked(model, "first", mine)
        for _ in range(3):
            error = raised(lambda: model(X))
            assert isinstance(error, bridge.DotNetError), (what, error)
            assert error.dotnet_message == message, error
            assert error.__cause__ is (mine if related else None), (what, error.__cause__)
    model = failing("Handler", "then an operator")
    hooked(model, "first", ValueError())
    error = raised(lambda: model(X))
    assert isinstance(error, bridge.DotNetError)
    assert error.__cause__ is None, error.__cause__


@checked()
def test_thrown_twice() -> None:
    """One C# exception object, thrown by several calls, has the cause and the module of each."""
    first, second, alone = failing("Handler", "again"), failing("Handler", "again"), failing("Handler", "again alone")
    errors = [ValueError("first"), ValueError("second")]
    for model, error in zip((first, second), errors, strict=True):
        hooked(model, "first", error)
    for _ in range(2):
        assert raised(lambda: first(X)).__cause__ is errors[0]
        assert raised(lambda: second(X)).__cause__ is errors[1]
        assert raised(lambda: alone(X)).__cause__ is None


class Marker:
    """Dies with the frame that made it."""


def frames(model: torch.nn.Module, child: str) -> list[weakref.ref[Marker]]:
    made: list[weakref.ref[Marker]] = []

    def hook(*_: object) -> None:
        marker = Marker()
        made.append(weakref.ref(marker))
        raise ValueError("with frames")

    model.get_submodule(child).register_forward_hook(hook)
    return made


def no_frame_stays(kind: str, child: str, ways: tuple[str, ...]) -> None:
    for way in ways:
        model = failing(kind, way)
        made = frames(model, child)
        for _ in range(5):
            with suppress(Exception):
                model(X)
        gc.collect()
        alive = sum(reference() is not None for reference in made)
        assert made, way
        assert alive == 0, (way, alive, len(made))


@checked()
def test_handled_frames() -> None:
    """What is in the frames of an exception dies with it, without a collection in .NET: passed on, wrapped or swallowed by C#."""
    ways = ("plain", "swallow one", "in a handler", "inside", "then another", "keep", "throw kept")
    no_frame_stays("Handler", "first", ways)


@checked()
def test_frames_of_tasks() -> None:
    """The same of exceptions that passed through .NET's threads."""
    no_frame_stays("Elsewhere", "child", ("wait", "get", "swallow", "swallow there", "thread"))


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@checked()
def test_tensors_of_frames() -> None:
    """Fifty failed calls whose frames hold 8 MB each leave less than 50 MB."""
    model = failing("Handler", "plain")

    def hook(*_: object) -> None:
        large = torch.ones(2_000_000)
        raise ValueError(large.numel())

    def calls() -> None:
        for _ in range(50):
            raised(lambda: model(X))

    model.get_submodule("first").register_forward_hook(hook)
    figure = grown(calls)
    assert figure < 50, f"{figure:.0f} MB"


@checked()
def test_kept_by_csharp() -> None:
    """A Python exception that C# keeps and throws in a later call has the class, the arguments and the attributes of the first."""

    class Mine(Exception):
        def __init__(self, number: int) -> None:
            super().__init__(number, "text")
            self.also = number * 2

    model = failing("Handler", "throw kept")
    for mine in (Mine(4), StopIteration(5), OSError(2, "no such thing", "file")):
        model = failing("Handler", "throw kept")
        hooked(model, "first", mine)
        model(X)
        for _ in range(2):
            error = raised(lambda: model(X))
            assert type(error) is type(mine), repr(error)
            assert error.args == mine.args
            assert vars(error) == vars(mine)
            assert getattr(error, "value", None) == getattr(mine, "value", None)
            assert getattr(error, "filename", None) == getattr(mine, "filename", None)


@checked()
def test_tasks_have_causes() -> None:
    """A hook's exception on .NET's threads: the object itself where C# gets it, else the cause of what C# makes of it."""
    for how in ("wait", "result", "all", *["parallel"] * 100, "nested"):  # as below
        model = failing("Elsewhere", how)
        mine = ValueError(how)
        hooked(model, "child", mine)
        error = raised(lambda: model(X))
        assert isinstance(error, bridge.DotNetError), (how, error)
        assert error.dotnet_type == "System.AggregateException", how
        assert error.__cause__ is mine, (how, error.__cause__)
    for how in ("get", "await"):
        model = failing("Elsewhere", how)
        mine = ValueError(how)
        hooked(model, "child", mine)
        assert raised(lambda: model(X)) is mine
    for how in ("swallow", "swallow there", "thread"):
        model = failing("Elsewhere", how)
        hooked(model, "child", ValueError(how))
        assert torch.equal(model(X), X * 2)


@checked()
def test_tasks_have_interrupts() -> None:
    """A-4: an interrupt on .NET's threads is raised by the call, also where C# swallowed it there."""
    ways = ("wait", "result", "get", "await", "all", "nested", "swallow", "swallow there", "thread")
    for how in (*ways, *["parallel"] * 100):  # of two at once, one may end within a call of the other's thread
        for mine in (KeyboardInterrupt(), SystemExit(5)):
            model = failing("Elsewhere", how)
            handle = hooked(model, "child", mine)
            for _ in range(2):
                found = raised(lambda: model(X))
                assert found is mine, (how, mine, found)
            handle.remove()
            assert torch.equal(model(X), X)


@checked()
def test_odd_exceptions() -> None:
    """An exception whose Message, StackTrace, Data, ToString or hash throw, or give nothing, is told as far as it can be."""
    for what in ("message", "null", "surrogate", "stack", "data", "data throws", "plain"):
        for model in (failing("Odd", what), failing("OddAfter", what)):
            mine = ValueError(what)
            child = next(iter(model.children()), None)
            if child is not None:
                child.register_forward_hook(raising(mine))
            for _ in range(2):
                error = raised(lambda: model(X))
                assert isinstance(error, bridge.DotNetError), (what, error)
                assert error.dotnet_type == "Failing.OddException"
                assert error.__cause__ is (None if child is None else mine), (what, error.__cause__)
                if what == "message":
                    assert "NotSupportedException" in error.dotnet_message, error.dotnet_message


@checked()
def test_context_of_a_failure() -> None:
    """A C# exception in an ``except`` block has the handled one as its context, as any Python exception has."""
    model = failing("Handler", "again alone")
    handled = KeyError("handled")
    try:
        raise handled
    except KeyError:
        error = raised(lambda: model(X))
    assert error.__context__ is handled
    assert error.__cause__ is None
    assert not error.__suppress_context__
