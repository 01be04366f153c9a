"""Garbage collections in both languages: nothing dies early, nothing stays."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch

import bridge
from attack.state import collect, live
from bridge.clr.find import assemblies
from tests.interop.helpers import X, grown, load, pnet

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(shared=True)]


linux = pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")


def test_collections_while_hooks_fire() -> None:
    """Callbacks that .NET knows by address, and hooks in both languages, outlive storms of both collectors."""
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


def _check_growth(rounds: Callable[[int], None], number: int, bound: float, *, grad: bool = False) -> tuple[int, ...]:
    """Check that rounds leave the counts of .NET unchanged, and less than ``bound`` MiB of memory; return the counts."""
    with torch.set_grad_enabled(grad):
        rounds(1)
        collect()
        counts = live()
        figure = grown(lambda: rounds(number))
    assert live() == counts, (live(), counts)
    assert figure < bound, figure
    return counts


@linux
@pytest.mark.subprocess
def test_register_call_remove_rounds() -> None:
    """10,000 rounds with a Python hook add less than 160 bytes each; what .NET holds returns to the start."""
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

    _check_growth(rounds, 10_000, 1.5)
    assert fired == 40_001


@linux
@pytest.mark.subprocess
def test_register_call_remove_rounds_in_csharp() -> None:
    """The same with a hook that C# registers and removes in each call: its Python entries go too."""
    model = load("Hooked", "remove")
    small = torch.ones(1, 2)

    def rounds(count: int) -> None:
        for _ in range(count):
            model(small)

    assert _check_growth(rounds, 5_000, 1.5)[2] == 1
    assert len(model.child._forward_hooks) == 1


@linux
@pytest.mark.parametrize("grad", [False, True], ids=["no grad", "grad"])
@pytest.mark.subprocess
def test_calls_keep_memory(grad: bool) -> None:
    """1,000 calls after warm-up; .NET's first generation is capped."""
    model = pnet()

    def rounds(count: int) -> None:
        for _ in range(count):
            results = model(X)
            if grad:
                (results[0].sum() + results[1].sum()).backward()

    _check_growth(rounds, 1000, 1.5, grad=grad)


@pytest.mark.subprocess
def test_a_dropped_model_leaves_dotnet() -> None:
    """Its .NET side goes with its mirror, hooks, results and references from both languages included."""
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


def test_a_part_keeps_its_model_usable() -> None:
    """Only a child is kept, or only a hook's handle: it works, or says what is gone; nothing is freed under it."""
    child = pnet().conv1
    collect()
    assert child(X).shape == (1, 10, 22, 22)
    handle = pnet().conv1.register_forward_hook(lambda *_: None)
    collect()
    handle.remove()
    result = pnet()(X.clone().requires_grad_())[0]
    collect()
    result.sum().backward()


def test_temporaries() -> None:
    """A tensor that only the call's arguments hold is alive until .NET has its own reference, and results own theirs."""
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
