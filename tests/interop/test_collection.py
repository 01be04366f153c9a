"""Collected callbacks, handles and memory (field notes 6 and 8): nothing dies early, nothing stays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

linux = pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")


def test_collections_while_hooks_fire(snippet: Callable[..., Any]) -> None:
    """6: callbacks that .NET knows by address, and hooks in both languages, outlive storms of both collectors."""
    snippet(
        """
        model, hooked = pnet(), load("Hooked", "constructor")
        expected, expected_hooked = model(X)[0], hooked(torch.ones(1, 2))
        fired = 0
        def hook(module, args, *result):
            global fired
            fired += 1
            gc.collect()
            if fired % 10 == 0:
                System.GC.Collect()
                System.GC.WaitForPendingFinalizers()
            return result[0] * 1 if result else (args[0] * 1,)
        import System
        for child in model.children():
            child.register_forward_hook(hook)
            child.register_forward_pre_hook(hook)
        hooked.child.register_forward_hook(hook)
        gc.set_threshold(1)
        stop = False
        def storm():
            while not stop:
                gc.collect()
                System.GC.Collect()
        thread = threading.Thread(target=storm)
        thread.start()
        for _ in range(10):
            assert torch.equal(model(X)[0], expected)
            assert torch.equal(hooked(torch.ones(1, 2)), expected_hooked)
        stop = True
        thread.join()
        assert fired == 10 * 21
        leaving()
        """,
    )


@linux
def test_register_call_remove_rounds(snippet: Callable[..., Any]) -> None:
    """6: 20,000 rounds with a Python hook keep memory; what .NET holds returns to the start."""
    snippet(
        """
        model = bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.TrapConv", True)
        small = torch.ones(3, 4, 4)
        fired = 0
        def rounds(count):
            for _ in range(count):
                def hook(*_):
                    global fired
                    fired += 1
                handle = model.conv.register_forward_hook(hook)
                model(small)
                handle.remove()
        with torch.no_grad():
            rounds(10_000)
            collect()
            before, counts = resident(), live()
            rounds(20_000)
            collect()
            grown = resident() - before
        assert fired == 30_000
        assert live() == counts, (live(), counts)
        assert grown < 5, grown
        print("grown", grown)
        leaving()
        """,
    )


@linux
def test_register_call_remove_rounds_in_csharp(snippet: Callable[..., Any]) -> None:
    """6: the same with a hook that C# registers and removes in each call: its Python entries go too."""
    snippet(
        """
        model = load("Hooked", "remove")
        small = torch.ones(1, 2)
        def rounds(count):
            for _ in range(count):
                model(small)
        with torch.no_grad():
            rounds(10_000)
            collect()
            before, counts = resident(), live()
            rounds(10_000)
            collect()
            grown = resident() - before
        assert counts[2] == 1, counts
        assert live() == counts, (live(), counts)
        assert len(model.child._forward_hooks) == 1
        assert grown < 5, grown
        print("grown", grown)
        leaving()
        """,
    )


@linux
@pytest.mark.parametrize("grad", [False, True], ids=["no grad", "grad"])
def test_two_thousand_calls_keep_memory(snippet: Callable[..., Any], grad: bool) -> None:
    """6: after warm-up; .NET's first generation is capped."""
    snippet(
        f"""
        model = pnet()
        def calls(count):
            for _ in range(count):
                results = model(X)
                if {grad}:
                    (results[0].sum() + results[1].sum()).backward()
        with torch.set_grad_enabled({grad}):
            calls(500)
            collect()
            before, counts = resident(), live()
            calls(2000)
            collect()
            grown = resident() - before
        assert live() == counts, (live(), counts)
        assert grown < 5, grown
        print("grown", grown)
        leaving()
        """,
    )


def test_a_dropped_model_leaves_dotnet(snippet: Callable[..., Any]) -> None:
    """6, 8: its .NET side goes with its mirror, hooks, results and references from both languages included."""
    snippet(
        """
        import weakref
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
        assert grown[1] == counts[1] + 5 * 11 + 4 and grown[2] == counts[2] + 5, (counts, grown)
        gone = weakref.ref(kept[0])
        del model, kept, child, results
        for _ in range(3):
            collect()
            live()
        assert gone() is None
        assert live() == counts, (live(), counts)
        leaving()
        """
    )


def test_a_part_keeps_its_model_usable(snippet: Callable[..., Any]) -> None:
    """8: only a child is kept, or only a hook's handle: it works, or says what is gone; nothing is freed under it."""
    snippet(
        """
        child = pnet().conv1
        collect()
        assert child(X).shape == (1, 10, 22, 22)
        handle = pnet().conv1.register_forward_hook(lambda *_: None)
        collect()
        handle.remove()
        result = pnet()(X.clone().requires_grad_())[0]
        collect()
        result.sum().backward()
        leaving()
        """
    )


def test_temporaries(snippet: Callable[..., Any]) -> None:
    """6: a tensor that only the call's arguments hold is alive until .NET has its own reference, and results own theirs."""
    snippet(
        """
        model = pnet()
        expected = model(X)[0].detach().clone()
        gc.set_threshold(1)
        for _ in range(200):
            result = model(X.clone())[0]
            junk = [torch.full((1, 2, 7, 7), float("nan")) for _ in range(5)]
            assert torch.equal(result, expected)
        leaving()
        """
    )
