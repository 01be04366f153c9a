"""Values whose crossing could end the process or leave memory behind."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from attack.state import collect, live
from bridge import clr
from tests.interop.helpers import grown, load

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.subprocess(shared=True),
    pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc"),
]


X = torch.ones(1, 2)


MEBIBYTE = 2**20 // 4


@contextmanager
def check_held_tensors() -> Iterator[None]:
    """Check that .NET holds no more tensors afterwards."""
    clr.start()
    collect()
    live()  # frees what .NET's finalizers enqueued
    collect()
    before = live()[0]
    yield
    collect()
    assert live()[0] <= before, (live(), before)


def check_growth(bound: float, work: Callable[[], object], times: int) -> None:
    """Check that the process grows by less than ``bound`` MiB in ``times`` calls of ``work``."""

    def rounds() -> None:
        for _ in range(times):
            work()

    figure = grown(rounds)
    assert figure < bound, f"grown by {figure:.0f} MiB"


def check_refused(kind: type[BaseException], call: Callable[[], object], said: str) -> None:
    with pytest.raises(kind, match=said):
        call()


@check_held_tensors()
def test_refused_result_of_a_hook() -> None:
    """100 results of (a tensor of 1 MiB, an object)."""
    model = load("Anything", True)
    next(model.children()).register_forward_hook(lambda *_: (torch.ones(MEBIBYTE), object()))
    check_growth(20, lambda: check_refused(TypeError, lambda: model(X), "cannot pass an object to"), 100)


@check_held_tensors()
def test_result_with_an_object() -> None:
    """100 results of (a tensor of 1 MiB, a list of one and an object of .NET)."""
    model = load("Gives", "an object")
    large = torch.ones(MEBIBYTE)
    check_growth(20, lambda: model(large), 100)


@check_held_tensors()
def test_refused_argument() -> None:
    """100 arguments of (a tensor of 1 MiB, an object)."""
    model = load("Anything", False)
    check_growth(
        20, lambda: check_refused(TypeError, lambda: model([torch.ones(MEBIBYTE), {1}]), "cannot pass a set"), 100
    )


@check_held_tensors()
def test_large_results() -> None:
    """5 results of 300 tensors of 1 MiB each."""
    model = load("Gives", "many")
    large = torch.ones(MEBIBYTE)
    check_growth(400, lambda: model(large), 5)


@check_held_tensors()
def test_nested_results() -> None:
    """What contains itself, and what is nested 100,000 deep."""
    for what in ("itself", "itself by name", "itself in a tuple", "deep"):
        for hooked in (False, True):
            model = load("Gives", what)
            if hooked:
                model.register_forward_hook(lambda *_: None)
            check_refused(RecursionError, lambda: model(X), "nested too deeply")


def test_nested_results_in_a_call() -> None:
    """The same where a call from C# has a scope of its own, and while a recording listens."""
    from bridge.runtimes import dotnet

    for what in ("itself", "deep"):
        model = load("Gives", what)
        with dotnet.record(model):
            check_refused(RecursionError, lambda: model(X), "nested too deeply")


def nested(levels: int, make: Callable[[Any], Any]) -> Any:
    value: Any = X
    for _ in range(levels):
        value = make(value)
    return value


@check_held_tensors()
def test_nested_arguments() -> None:
    """Also in what a hook gives, and on a thread with a small stack."""
    endless: list[Any] = [X]
    endless.append(endless)
    named: dict[str, Any] = {}
    named["again"] = (X, named)
    deep = nested(100_000, lambda value: [value])
    model = load("Anything", True)
    for value in (
        endless,
        named,
        deep,
        nested(100_000, lambda value: (value,)),
        nested(100_000, lambda value: {"a": value}),
    ):
        check_refused(RecursionError, lambda: model(value), "nested too deeply")
    handle = next(model.children()).register_forward_pre_hook(lambda *_: (endless,))
    check_refused(RecursionError, lambda: model(X), "nested too deeply")
    handle.remove()
    for make in (lambda value: [value], lambda value: (value,), lambda value: {"a": value}):
        held: list[object] = []
        value = nested(800, make)

        def work() -> None:
            try:
                held.append(model(value))
            except RecursionError as error:
                held.append(error)

        threading.stack_size(256 * 1024)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        threading.stack_size(0)
        assert len(held) == 1, "the thread did not end"
        assert isinstance(held[0], RecursionError) or type(held[0]) is type(value)
        assert isinstance(model(value), type(value))


def test_replaced_meanwhile() -> None:
    """Another thread replaces a list's items, and changes its length, while it crosses."""
    model = load("Anything", True)
    next(model.children()).register_forward_hook(lambda *_: None)
    items = [torch.full((4,), 1.0) for _ in range(50)]
    stop = threading.Event()

    def replace() -> None:
        while not stop.is_set():
            for index in range(40):
                items[index] = torch.full((4,), 1.0)
            del items[40:]
            items.extend(torch.full((4,), 1.0) for _ in range(10))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=replace)
    thread.start()
    try:
        for _ in range(2_000):
            result = model(items)
            assert 40 <= len(result) <= 50
            assert all(tensor[0] == 1 for tensor in result[::7])
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)
