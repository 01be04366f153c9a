"""Who owns a tensor when threads go on, dispose or rebind while others use it: an exception at worst, never the end of the process."""

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
from tests.interop.helpers import X, load

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(shared=True)]


@pytest.mark.parametrize("rounds", [1, pytest.param(100, marks=pytest.mark.slow)])
def test_threads_that_outlive_their_calls_are_refused(rounds: int) -> None:
    """A thread holds a tensor, a parameter or a child after ``forward`` returned: InvalidOperationException or a subclass."""
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


@pytest.mark.parametrize("calls", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_weights_are_rebound_while_others_call(calls: int) -> None:
    """``load_state_dict(assign=True)``, assignment and rebound dictionaries beside three calling threads."""
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


def test_tensors_are_disposed_on_other_threads() -> None:
    """Threads of a pool dispose what ``forward`` makes while it makes more."""
    model = load("DisposedElsewhere")
    x = torch.ones(3)
    for _ in range(5):
        assert torch.equal(model(x), x * 2)
    collect()
    before = live()[0]
    model(x)
    collect()
    assert live()[0] <= before, (live(), before)


def test_a_constructor_runs_while_python_runs() -> None:
    """It may wait for tasks that need the GIL, and for what Python does on other threads."""
    assert load("WaitsForTask")(X) is X
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "made")
        timer = threading.Timer(0.2, file.touch)
        timer.start()
        assert load("WaitsForFile", str(file))(X) is X
        timer.join()


def test_a_call_that_gets_no_handle_keeps_none() -> None:
    """Nor does what came into a collection wait for its end."""
    load("Pair")  # starts .NET
    from System import AppDomain, IntPtr
    from System.Reflection import BindingFlags

    anywhere = BindingFlags.Static | BindingFlags.NonPublic
    assemblies = {str(assembly.GetName().Name): assembly for assembly in AppDomain.CurrentDomain.GetAssemblies()}
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
