"""Snippets of test_collection.py. Those that count what .NET holds, or memory, are in a process of their own."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import torch
from attack.state import collect, live
from process import X, grown, load, pnet

import bridge
from bridge.clr.find import assemblies


def while_hooks_fire() -> None:
    model, hooked = pnet(), load("Hooked", "constructor")
    expected, expected_hooked = model(X)[0], hooked(torch.ones(1, 2))
    import System

    fired = 0

    def hook(module: Any, args: Any, *result: Any) -> Any:
        nonlocal fired
        fired += 1
        gc.collect()
        if fired % 10 == 0:
            System.GC.Collect()
            System.GC.WaitForPendingFinalizers()
        return result[0] * 1 if result else (args[0] * 1,)

    for child in model.children():
        child.register_forward_hook(hook)
        child.register_forward_pre_hook(hook)
    hooked.child.register_forward_hook(hook)
    stop = False

    def storm() -> None:
        while not stop:
            gc.collect()
            System.GC.Collect()

    thread = threading.Thread(target=storm)
    before = gc.get_threshold()
    gc.freeze()  # what PyTorch holds is not looked through each time, so that there are many more collections
    gc.set_threshold(1)
    try:
        thread.start()
        for _ in range(10):
            assert torch.equal(model(X)[0], expected)
            assert torch.equal(hooked(torch.ones(1, 2)), expected_hooked)
    finally:
        stop = True
        gc.set_threshold(*before)
        gc.unfreeze()
        thread.join()
    assert fired == 10 * 21


def _nothing_grows(rounds: Callable[[int], None], number: int, bound: float, *, grad: bool = False) -> tuple[int, ...]:
    """So many rounds leave what .NET holds as it was, and less than ``bound`` MiB of memory; gives what .NET holds."""
    with torch.set_grad_enabled(grad):
        rounds(1)
        collect()
        counts = live()
        figure = grown(lambda: rounds(number))
    assert live() == counts, (live(), counts)
    assert figure < bound, figure
    return counts


def rounds_of_python_hooks() -> None:
    model: Any = bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.TrapConv", True)
    small = torch.ones(3, 4, 4)
    fired = 0

    def rounds(count: int) -> None:
        for _ in range(count):

            def hook(*_: Any) -> None:
                nonlocal fired
                fired += 1

            handle = model.conv.register_forward_hook(hook)
            model(small)
            handle.remove()

    _nothing_grows(rounds, 10_000, 1.5)
    assert fired == 40_001


def rounds_of_csharp_hooks() -> None:
    model = load("Hooked", "remove")
    small = torch.ones(1, 2)

    def rounds(count: int) -> None:
        for _ in range(count):
            model(small)

    assert _nothing_grows(rounds, 5_000, 1.5)[2] == 1
    assert len(model.child._forward_hooks) == 1


def calls(grad: bool) -> None:
    model = pnet()

    def rounds(count: int) -> None:
        for _ in range(count):
            results = model(X)
            if grad:
                (results[0].sum() + results[1].sum()).backward()

    _nothing_grows(rounds, 1000, 1.5, grad=grad)


def a_dropped_model() -> None:
    pnet()(X)
    collect()
    live()
    collect()
    counts = live()
    kept = [pnet() for _ in range(5)] + [load("Hooked", "constructor"), load("Keeper")]
    for model in kept:
        results = model(X if len(list(model.children())) > 5 else torch.ones(1, 2))
        for child in model.children():
            child.register_forward_hook(lambda module, args, result: None)
    grown = live()
    assert grown[1] == counts[1] + 5 * 11 + 4, (counts, grown)
    assert grown[2] == counts[2] + 5, (counts, grown)
    gone = weakref.ref(kept[0])
    del model, kept, child, results
    for _ in range(3):
        collect()
        live()
    assert gone() is None
    assert live() == counts, (live(), counts)


def a_part_alone() -> None:
    child = pnet().conv1
    collect()
    assert child(X).shape == (1, 10, 22, 22)
    handle = pnet().conv1.register_forward_hook(lambda *_: None)
    collect()
    handle.remove()
    result = pnet()(X.clone().requires_grad_())[0]
    collect()
    result.sum().backward()


def temporaries() -> None:
    model = pnet()
    expected = model(X)[0].detach().clone()
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(200):
            result = model(X.clone())[0]
            _junk = [torch.full((1, 2, 7, 7), float("nan")) for _ in range(5)]
            assert torch.equal(result, expected)
    finally:
        gc.set_threshold(*before)
