"""Forked and spawned children: a fork keeps one of .NET's dozen threads, and any call would crash it."""

from __future__ import annotations

import ctypes
import gc
import importlib
import mmap
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from attack.state import live
from bridge import clr
from bridge.clr.find import assemblies
from bridge.runtimes import dotnet
from tests.interop.helpers import X, load, nothing_on_stderr, pnet, raised
from tests.interop.start_steps import all_ok, at_steps, child, outcome, seconds_of_a_start

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.subprocess(shared=True),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork"),
]


#: Seconds after which a child has hung.
HANG = 300


@contextmanager
def ignore_fork_warnings() -> Iterator[None]:
    """Ignore the warning of newer Pythons about a fork of a process with threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def run_forked(body: Callable[[], object]) -> int:
    """Return the exit code of a forked child that runs ``body`` and ends as a program does."""
    with ignore_fork_warnings():
        child = os.fork()
    if child == 0:
        signal.alarm(HANG)
        body()
        sys.exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def check_parent(model: Any, expected: Any) -> None:
    assert torch.equal(model(X)[0], expected)
    other: Any = bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet")
    assert other(X)[0].shape == expected.shape


@pytest.mark.parametrize("what", ["call", "load", "record"])
def test_a_forked_child_that_touches_dotnet_gets_an_error(what: str) -> None:
    """One RuntimeError that says what to do; the child still ends by itself."""
    model = pnet()
    expected = model(X)[0]
    touching: Callable[[], object] = {
        "call": lambda: model(X),
        "load": lambda: bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet"),
        "record": lambda: dotnet.record(model).__enter__(),
    }[what]

    def body() -> None:
        error = raised(touching)
        assert isinstance(error, RuntimeError), error
        assert isinstance(error, bridge.StartError), error
        assert "forked" in str(error), error
        assert "'spawn'" in str(error), error
        sys.exit(42)

    assert run_forked(body) == 42
    check_parent(model, expected)


@nothing_on_stderr()
def test_a_forked_child_that_does_not_touch_it_is_fine() -> None:
    """It computes with torch on one thread, and leaves with 0 by the long way."""
    model = pnet()
    expected = model(X)[0]
    assert run_forked(lambda: None) == 0
    assert run_forked(lambda: sys.exit(5)) == 5
    assert run_forked(lambda: (torch.ones(3) + 1).sum()) == 0
    assert run_forked(lambda: sys.exit(run_forked(lambda: sys.exit(6)))) == 6
    check_parent(model, expected)


def forbid_dotnet() -> None:
    """Make this process end with SIGSEGV when it enters C#: code that is compiled at run time, or lies in a .dll."""
    mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    forbidden = 0
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        place, rights, *_, path = f"{line} ".split(" ", 5)
        if "x" in rights and (not path.strip() or ".dll" in path):
            begin, end = (int(address, 16) for address in place.split("-"))
            forbidden += mprotect(begin, end - begin, mmap.PROT_READ) == 0
    assert forbidden


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="forbids .NET's code where /proc says where it lies")
@nothing_on_stderr()
def test_nothing_that_python_does_by_itself_enters_dotnet() -> None:
    """Collections, imports that fail, tests for abstract classes and names of modules come to pythonnet's types; calls of them raise."""
    pnet()
    import System
    from System.Collections.Generic import List

    numbers, added, kind = List[int](), List[int].Add, System.Object
    cycle: list[object] = [List[int]()]
    cycle.append(cycle)

    def refused(touch: Callable[[], object]) -> None:
        error = raised(touch)
        assert isinstance(error, bridge.StartError), error
        assert "forked" in str(error), error

    def body() -> None:
        forbid_dotnet()
        cycle.clear()
        assert gc.collect() >= 0

        class Listed(list[int]): ...

        assert issubclass(Listed, Sequence)
        Sequence.register(type("Registered", (), {}))
        assert not isinstance(Listed, Mapping)
        failed = raised(lambda: importlib.import_module("no_such_module"))
        assert isinstance(failed, ModuleNotFoundError), failed
        for module in list(sys.modules.values()):
            hasattr(module, "__warningregistry__")
        assert f"{System} {numbers} {List} {type(numbers).__name__}"
        assert {numbers: numbers == 1} == {numbers: False}
        for touch in (
            kind,
            type(numbers),
            lambda: added(numbers, 1),
            lambda: numbers.Add(1),
            lambda: numbers.Count,
            lambda: numbers[0],
            lambda: List[str],
            lambda: [*numbers],
        ):
            refused(touch)

    assert run_forked(body) == 0
    numbers.Add(3)
    assert [*numbers] == [3]
    assert run_forked(body) == 0


@nothing_on_stderr()
def test_finalizers_in_a_forked_child_do_nothing() -> None:
    """Mirrors, results and C# hooks that die there call nothing in .NET; the parent's live on."""
    model = pnet()
    expected = model(X)[0]
    hooked = load("Hooked", "constructor")
    held = [hooked, hooked(torch.ones(1, 2, requires_grad=True)), pnet(), model(X)]
    del hooked
    gc.collect()
    counts = live()

    def body() -> None:
        held.clear()
        for _ in range(3):
            gc.collect()

    assert run_forked(body) == 0
    assert live() == counts
    check_parent(model, expected)


#: The model that forked workers inherit without pickling.
_inherited: list[Any] = []


def touch(number: int) -> object:
    """Call the inherited model if the number is even: the work of a forked process."""
    if number % 2:
        return number
    try:
        return _inherited[0](X)
    except RuntimeError as error:
        return str(error)


def test_multiprocessing_by_fork() -> None:
    """A Process and a Pool of forked workers, some of which touch .NET."""
    model = pnet()
    expected = model(X)[0]
    _inherited[:] = [model]
    context = multiprocessing.get_context("fork")
    with ignore_fork_warnings():
        with context.Pool(2) as pool:
            answers: Any = pool.map_async(touch, range(4)).get(HANG)
        process = context.Process(target=int)
        process.start()
    _inherited.clear()
    assert answers[1] == 1
    assert answers[3] == 3
    assert "forked" in answers[0], answers
    assert "forked" in answers[2], answers
    process.join()
    assert process.exitcode == 0
    check_parent(model, expected)


class Numbers(torch.utils.data.Dataset[Any]):
    """Eight inputs, or a model's results of them."""

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        return X[0] * index if self.model is None else self.model(X)[0]


def test_data_loader_workers() -> None:
    """A DataLoader forks two workers while a mirror is alive; a data set that runs the model gets our error."""
    model = pnet()
    expected = model(X)[0]
    with ignore_fork_warnings():
        loader = torch.utils.data.DataLoader(Numbers(), batch_size=2, num_workers=2, timeout=HANG)
        for _ in range(2):
            shapes = [model(batch)[0].shape for batch in loader]
            assert shapes == [(2, 2, 7, 7)] * 4
        runs_model = torch.utils.data.DataLoader(Numbers(model), batch_size=2, num_workers=2, timeout=HANG)
        error = raised(lambda: list(runs_model))
    assert isinstance(error, RuntimeError), error
    assert "forked" in str(error), error
    check_parent(model, expected)


@pytest.mark.subprocess
def test_a_child_that_was_forked_first_starts_its_own() -> None:
    """Forked before .NET runs, parent and child each start one."""
    child = os.fork()
    if child == 0:
        signal.alarm(HANG)
        pnet()(X)
        sys.exit(7)
    pnet()(X)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def call_spawned(state: dict[str, Any], x: torch.Tensor) -> Any:
    """Call a model with these weights: the work of a spawned process."""
    torch.set_num_threads(1)
    model = pnet()
    model.load_state_dict(state)
    return model(x)[0].detach().numpy()


def test_spawned_children_start_their_own() -> None:
    """The way that the error recommends."""
    model = pnet()
    expected = model(X)[0]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        result = pool.apply_async(call_spawned, (model.state_dict(), X)).get(HANG)
    assert torch.equal(torch.from_numpy(result), expected.detach())


_there, _go_on = threading.Event(), threading.Event()
_before: dict[str, str] = {}


def _wait() -> None:
    _there.set()
    _go_on.wait(HANG)


def _use() -> str:
    """Return 'ok' if each use of .NET raises StartError, also on another thread, PyTorch computes, and the environment is unchanged."""
    if not gc.isenabled():
        return "garbage is no longer collected"
    if changed := _before.items() ^ os.environ.items():
        return f"the environment differs: {sorted(changed)}"
    for _ in range(2):
        errors: list[BaseException] = []
        thread = threading.Thread(target=lambda: errors.append(raised(pnet)))
        thread.start()
        thread.join()
        for error in (raised(pnet), *errors):
            if not isinstance(error, clr.StartError) or "forked" not in str(error) or "'spawn'" not in str(error):
                return f"{type(error).__name__}: {error}"
    return "ok" if torch.ones(3).sum() == 3 else "PyTorch does not compute"


def _attempt(arm: Callable[[], None], until: Callable[[], object]) -> str:
    """Start .NET on a thread, and fork when ``until`` returns; return 'ok' if the child was refused and the parent's start works."""
    arm()
    _before.update(os.environ)
    thread = threading.Thread(target=clr.start)
    thread.start()
    until()
    said = outcome(*child(_use))
    _go_on.set()
    thread.join()
    return said if pnet()(X)[0].shape == (1, 2, 7, 7) else f"{said}, but the parent is not well"


@pytest.mark.slow
@pytest.mark.subprocess(stderr="")
def test_forked_at_steps_of_the_start() -> None:
    """A process forks while another thread is at a step of Python inside the start, every second step in turn.

    The child is refused .NET by an error, neither hangs nor crashes, has the environment of before the start, and exits silently with 0;
    the parent's start succeeds.
    """
    at_steps(lambda arm: _attempt(arm, lambda: _there.wait(HANG)), _wait, every=2)


@pytest.mark.slow
@pytest.mark.subprocess
def test_forked_at_any_time_of_the_start() -> None:
    """The same holds at 100 times from the beginning of the start to its end, in native code too."""
    took, tries = seconds_of_a_start(), 100
    all_ok(
        {
            index: outcome(*child(lambda index=index: _attempt(lambda: None, lambda: time.sleep(took * index / tries))))  # type: ignore[misc]
            for index in range(tries)
        }
    )
