"""What test_crossing.py runs in a process of its own: ``python crossing.py MODELS CHECK…``; each check prints its name when it held."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch

import bridge
from bridge.clr import started

X = torch.ones(1, 2)
MEBIBYTE = 2**20 // 4
CHECKS: dict[str, Callable[[], None]] = {}


def check(function: Callable[[], None]) -> Callable[[], None]:
    CHECKS[function.__name__] = function
    return function


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def load(name: str, *args: Any) -> bridge.Mirror:
    return bridge.load(sys.argv[1], f"Models.{name}", *args)


def resident() -> float:
    """Resident memory in MiB."""
    with open("/proc/self/statm") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def grown(work: Callable[[], object], times: int) -> float:
    """MiB by which so many rounds make the process grow, after one that warms up."""
    work()
    gc.collect()
    before = resident()
    for _ in range(times):
        work()
    gc.collect()
    return resident() - before


def refused(kind: type[BaseException], call: Callable[[], object], said: str) -> None:
    with pytest.raises(kind, match=said):
        call()


def live() -> int:
    """Tensors that .NET holds."""
    host = started()
    assert host is not None
    return host.exports.live()["tensors"]  # type: ignore[no-any-return]


@check
def refused_result_of_a_hook() -> None:
    """200 results of (a tensor of 1 MiB, an object)."""
    model = load("Anything", True)
    next(model.children()).register_forward_hook(lambda *_: (torch.ones(MEBIBYTE), object()))
    figure = grown(lambda: refused(TypeError, lambda: model(X), "cannot pass a object to"), 200)
    say(f"grown by {figure:.0f} MiB")
    assert figure < 20
    assert live() == 0


@check
def refused_result_of_csharp() -> None:
    """100 results of (a tensor of 1 MiB, a list of one and an object)."""
    model = load("Gives", "an object")
    large = torch.ones(MEBIBYTE)
    figure = grown(lambda: refused(bridge.DotNetError, lambda: model(large), "Cannot pass a System.Uri to"), 100)
    say(f"grown by {figure:.0f} MiB")
    assert figure < 20
    assert live() == 0


@check
def refused_argument() -> None:
    """200 arguments of (a tensor of 1 MiB, an object)."""
    model = load("Anything", False)
    figure = grown(lambda: refused(TypeError, lambda: model([torch.ones(MEBIBYTE), {1}]), "cannot pass a set"), 200)
    say(f"grown by {figure:.0f} MiB")
    assert figure < 20
    assert live() == 0


@check
def large_results() -> None:
    """10 results of 300 tensors of 1 MiB each."""
    model = load("Gives", "many")
    large = torch.ones(MEBIBYTE)
    figure = grown(lambda: model(large), 10)
    say(f"grown by {figure:.0f} MiB")
    assert figure < 100
    assert live() == 0


@check
def nested_results() -> None:
    """What contains itself, and what is nested 100,000 deep."""
    for what in ("itself", "itself by name", "itself in a tuple", "deep"):
        for hooked in (False, True):
            model = load("Gives", what)
            if hooked:
                model.register_forward_hook(lambda *_: None)
            refused(RecursionError, lambda: model(X), "nested too deeply")
    assert live() == 0


@check
def nested_results_in_a_call() -> None:
    """The same where a call from C# has a scope of its own, and while a recording listens."""
    from bridge.runtimes import dotnet

    for what in ("itself", "deep"):
        model = load("Gives", what)
        with dotnet.record(model):
            refused(RecursionError, lambda: model(X), "nested too deeply")


def nested(levels: int, make: Callable[[Any], Any]) -> Any:
    value: Any = X
    for _ in range(levels):
        value = make(value)
    return value


@check
def nested_arguments() -> None:
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
        refused(RecursionError, lambda: model(value), "nested too deeply")
    handle = next(model.children()).register_forward_pre_hook(lambda *_: (endless,))
    refused(RecursionError, lambda: model(X), "nested too deeply")
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
    assert live() == 0


@check
def replaced_meanwhile() -> None:
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


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in sys.argv[2:]:
        CHECKS[name]()
        say(f"held {name}")
