"""Snippets of test_ownership.py."""

from __future__ import annotations

import ctypes
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from attack.state import collect, live
from process import X, load


def threads_outlive_their_calls(rounds: int) -> None:
    model, ends = load("Straggler"), load("Straggler+Ends")
    x = torch.ones(2, 4)
    for what in ("shape", "item", "array", "operator", "parameter", "child"):
        for number in range(rounds):
            for _ in range(4):
                model(x, what)
            while not (report := ends(x)):
                time.sleep(0.001)
            # A tensor's is TorchSharp's; a parameter's and a child's are the mirror's.
            assert report in ("InvalidOperationException", "ObjectDisposedException"), (what, number, report)


def rebinding(calls: int) -> None:
    model = load("Pair").eval()
    x = torch.ones(2, 3)
    expected = model(x)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    problems: list[str] = []
    finished = threading.Event()

    def guarded(work: Callable[[], None]) -> threading.Thread:
        def run() -> None:
            try:
                work()
            except BaseException as error:
                problems.append(repr(error))

        return threading.Thread(target=run)

    def call() -> None:
        with torch.no_grad():
            for _ in range(calls):
                assert torch.equal(model(x), expected)

    def assign() -> None:
        while not finished.is_set():
            model.load_state_dict({name: value.clone() for name, value in state.items()}, assign=True)

    def rebind() -> None:
        while not finished.is_set():
            model.first.weight = torch.nn.Parameter(state["first.weight"].clone())
            model.first._forward_hooks = type(model.first._forward_hooks)()

    callers = [guarded(call) for _ in range(3)]
    others = [guarded(assign), guarded(rebind)]
    for thread in callers + others:
        thread.start()
    for thread in callers:
        thread.join()
    finished.set()
    for thread in others:
        thread.join()
    assert problems == [], problems[:3]


def disposed_elsewhere() -> None:
    model = load("DisposedElsewhere")
    x = torch.ones(3)
    for _ in range(5):
        assert torch.equal(model(x), x * 2)
    collect()
    before = live()[0]
    model(x)
    collect()
    assert live()[0] <= before, (live(), before)


def a_constructor_waits() -> None:
    assert load("WaitsForTask")(X) is X
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "made")
        timer = threading.Timer(0.2, file.touch)
        timer.start()
        assert load("WaitsForFile", str(file))(X) is X
        timer.join()


def acquiring_fails() -> None:
    """Check that a call gives back what it has of its module's parameters when it gets no handle of the next one."""
    load("Pair")  # starts .NET
    from System import AppDomain, IntPtr
    from System.Reflection import BindingFlags

    anywhere = BindingFlags.Static | BindingFlags.NonPublic
    assemblies = {str(one.GetName().Name): one for one in AppDomain.CurrentDomain.GetAssemblies()}
    make = assemblies["Bridge.Torch"].GetType("Bridge.Torch.Native.Abi").GetField("new_undefined", anywhere)
    calls = assemblies["Bridge.Interop"].GetType("Bridge.Interop.CallEra").GetProperty("HasCalls", anywhere)
    given = make.GetValue(None)
    original = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(given.ToInt64())
    for allowed in range(4):
        model = load("Pair").eval()
        before = [parameter._use_count() for parameter in model.parameters()]
        assert len(before) == 4
        left = iter(range(allowed))

        def failing(handle: int, left: Iterator[int] = left) -> int:
            return 1 if next(left, None) is None else original(handle)

        function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(failing)
        make.SetValue(None, IntPtr(ctypes.cast(function, ctypes.c_void_p).value))
        try:
            with pytest.raises(Exception, match="new_uninitialized_tensor"):
                model(torch.ones(2, 3))
        finally:
            make.SetValue(None, given)
        assert [parameter._use_count() for parameter in model.parameters()] == before, allowed
        assert not calls.GetValue(None), allowed
        model(torch.ones(2, 3))
        assert [parameter._use_count() for parameter in model.parameters()] == before, allowed
