"""Snippets of test_exit.py: each keeps something alive and leaves."""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import sys
import threading
import time
from typing import Any

import torch
from attack.pythonnet_user import prepare_pythonnet
from attack.state import live
from process import X, extra, load, pnet, reached

#: What is alive when the process goes: were it local, it would die before.
held: list[Any] = []


def leave(code: int) -> None:
    """Ends the process: by itself, by an exception that nobody catches, or by an exit code."""
    if code == 1:
        reached()
        raise ValueError("uncaught")
    if code:
        reached()
        sys.exit(code)


def graphs(code: int) -> None:
    model = pnet()
    x = X.clone().requires_grad_()
    results = [model(x) for _ in range(50)]  # C# made the tensors that these graphs have saved
    loss = sum(a.sum() + b.sum() for a, b in results)
    seen: list[Any] = []
    for module in model.modules():
        module.register_forward_hook(lambda module, args, result: seen.append(result))
        module.register_forward_pre_hook(lambda module, args: seen.append(args))
        module.register_full_backward_hook(lambda module, *grads: seen.append(grads))
    results.append(model(x))
    assert len(seen) == 22
    assert loss.grad_fn is not None
    held.extend((model, x, results, loss, seen))
    leave(code)


def arrays(code: int) -> None:
    """Tensors over arrays of .NET, which die on any thread and with the process."""
    model = extra("Sharing")
    from System import GC

    def run(count: int) -> None:
        for _ in range(count):
            made = model(torch.empty(5000))
            GC.Collect()
            assert torch.equal(made, torch.arange(5000.0))
            parts = made.split(1000)
            threading.Thread(target=parts.__len__).start()
            del made, parts

    threads = [threading.Thread(target=run, args=(20,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held.extend(
        model(torch.empty(5000)).requires_grad_().pow(2) for _ in range(50)
    )  # autograd has saved the tensor too
    GC.Collect()
    assert all(torch.equal(one, torch.arange(5000.0) ** 2) for one in held)
    leave(code)


def garbage(code: int) -> None:
    keepers = []
    for _ in range(20):
        keeper = load("Keeper")
        for _ in range(5):
            keepers.append((keeper, keeper(torch.ones(1, 2, requires_grad=True))))
    litter = extra("Littering")
    shared = torch.ones(2, requires_grad=True)
    for _ in range(40):
        keepers.append(litter(shared * 2))
    assert live()[0] > 500, live()  # of 4,500; .NET may have collected litter meanwhile
    hooked = load("Hooked", "constructor")
    hooked(torch.ones(1, 2))
    assert live()[2] == 20 + 4, live()
    model = pnet()
    for child in model.children():
        child.register_forward_hook(lambda *_: None)
    held.extend((litter, shared, hooked, model, model(X)))
    del keepers, keeper
    from System import GC

    def storm() -> None:
        gc.collect()
        GC.Collect()
        GC.WaitForPendingFinalizers()

    atexit.register(storm)
    leave(code)


def daemon(code: int) -> None:
    model = pnet()
    for child in model.children():
        child.register_forward_hook(lambda *_: None)
    calls = 0

    def forever() -> None:
        nonlocal calls
        while True:
            model(X)
            calls += 1

    for _ in range(2):
        threading.Thread(target=forever, daemon=True).start()
    while calls < 20:
        time.sleep(0.01)
    leave(code)


def restless(code: int, what: str) -> None:
    model = extra("Restless", what)
    fired = 0

    def hook(*_: Any) -> None:
        nonlocal fired
        fired += 1

    model.child.register_forward_hook(hook)
    held.extend((model, [model(torch.ones(2, requires_grad=True)) for _ in range(3)]))
    while what == "call" and fired < 20:
        time.sleep(0.01)
    assert fired >= 3
    time.sleep(0.2)
    leave(code)


def methods(code: int, first: str) -> None:
    """Methods of objects and of a class, whose last reference is a module's."""
    if first == "pythonnet":
        import pythonnet

        prepare_pythonnet()
        pythonnet.load("coreclr")
    held.append(pnet()(X))
    from System import Environment, Object

    held.extend((Object().ToString, Object().ToString.Overloads, Environment.GetEnvironmentVariable))
    leave(code)


def late_destructor(code: int) -> None:
    import pythonnet

    class Last:
        def __init__(self, runtime: Any) -> None:
            self.die = runtime.__del__

        def __del__(self) -> None:
            self.die()

    held.append(pnet()(X))
    # Python empties the modules that something still keeps, the first one last.
    sys.kept = list(sys.modules.values())  # type: ignore[attr-defined]
    os.last = Last(pythonnet._RUNTIME)  # type: ignore[attr-defined]
    leave(code)


def without_unload() -> None:
    import pythonnet

    held.append(pnet()(X))

    class Spy:
        def get_function(self, *names: str) -> Any:
            return lambda *_: os.write(1, b"unloaded\n")

    assert pythonnet._LOADER_ASSEMBLY is not None
    pythonnet._LOADER_ASSEMBLY = Spy()  # all that unload does goes through it
    atexit.register(lambda: os.write(1, b"at exit\n"))


def ended_by_csharp(elsewhere: bool) -> None:
    exiting, busy = extra("Exiting", elsewhere), pnet()

    def work() -> None:
        while True:
            busy(X)

    def collected(phase: str, info: dict[str, int]) -> None:
        if info["generation"] == 2:
            os.write(1, b"collected\n")

    threading.Thread(target=work, daemon=True).start()
    gc.callbacks.append(collected)
    reached()
    exiting(X)


def ended_under_threads() -> None:
    """What the C runtime does at its end would destroy libtorch under the threads that compute."""
    exiting = extra("Exiting", True)
    libc = ctypes.CDLL(None)
    destructor = b"destroyed"
    held.append(destructor)
    libc.__cxa_atexit(libc.puts, destructor, None)
    libc.puts(b"buffered")
    reached()
    exiting(X)
