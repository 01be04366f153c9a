"""The end of the process: its own exit code, silently, whatever is alive on both sides."""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import sys
import threading
import time
from typing import Any

import pytest
import torch

from attack.pythonnet_user import prepare_pythonnet
from attack.state import live
from tests.interop.helpers import X, extra, load, pnet
from tests.support.child import reached
from tests.support.fork_server import Run

CODES = (0, 1, 3)

FIRST_CODE = (0, *(pytest.param(code, marks=pytest.mark.slow) for code in CODES[1:]))


def check_end(run: Run, code: int, **_: object) -> None:
    """Check that the process exited with the code, and printed nothing but the traceback of an uncaught exception."""
    assert run.returncode == code, str(run)
    if code == 1:
        lines = run.stderr.splitlines()
        assert (lines[0], lines[-1]) == ("Traceback (most recent call last):", "ValueError: uncaught")
        assert run.stderr.count("Traceback") == 1
    else:
        assert run.stderr == ""


def check_no_collections(run: Run, elsewhere: bool) -> None:
    """Check that few garbage collections ran at the exit; pythonnet's exit handler would run up to 80."""
    assert run.returncode == 5, str(run)
    assert run.stdout.count("collected") < 10


pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(check=check_end)]
#: Objects that live until the interpreter ends.
held: list[Any] = []


def leave(code: int) -> None:
    """End the process: by returning, by an uncaught exception, or by an exit code."""
    gc.unfreeze()  # the last collections look at all objects, as in any process
    if code == 1:
        reached()
        raise ValueError("uncaught")
    if code:
        reached()
        sys.exit(code)


@pytest.mark.parametrize("code", CODES)
def test_with_graphs_and_hooks_alive(code: int) -> None:
    """The last reference to a tensor that autograd saved dies while Python goes."""
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


@pytest.mark.parametrize("code", FIRST_CODE)
def test_with_tensors_over_dotnets_arrays(code: int) -> None:
    """Libtorch frees memory of .NET's, on Python's threads and while Python goes; nothing of .NET is called then."""
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
    assert all(torch.equal(tensor, torch.arange(5000.0) ** 2) for tensor in held)
    leave(code)


@pytest.mark.parametrize("code", FIRST_CODE)
def test_with_garbage_of_both_collectors(code: int) -> None:
    """C# tensors wait for finalizers, and .NET collects while the process leaves."""
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


@pytest.mark.parametrize("code", FIRST_CODE)
def test_with_a_daemon_thread_that_keeps_calling(code: int) -> None:
    """A Python thread is inside .NET when the interpreter goes."""
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


@pytest.mark.parametrize(
    ("code", "what"),
    [
        pytest.param(code, what, marks=[] if at == place else pytest.mark.slow)
        for at, code in enumerate(CODES)
        for place, what in enumerate(("allocate", "collect", "call"))
    ],
)
def test_with_a_dotnet_thread(code: int, what: str) -> None:
    """A .NET thread allocates tensors, forces collections or calls a listened child while the interpreter goes."""
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


@pytest.mark.parametrize(("code", "first"), [*((code, "bridge") for code in CODES), (0, "pythonnet")])
def test_with_methods_of_dotnets_kept(code: int, first: str) -> None:
    """Pythonnet's bound methods die with the last names. Python 3.13 renamed what it asks then, and the process aborted."""
    if first == "pythonnet":
        import pythonnet

        prepare_pythonnet()
        pythonnet.load("coreclr")
    held.append(pnet()(X))
    from System import Environment, Object

    held.extend((Object().ToString, Object().ToString.Overloads, Environment.GetEnvironmentVariable))
    leave(code)


@pytest.mark.parametrize("code", FIRST_CODE)
def test_with_clr_loaders_destructor_at_the_very_end(code: int) -> None:
    """It needs modules that are gone by then, and Python would print that it failed."""
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


def check_no_unload(run: Run) -> None:
    """Check that only the test's own exit handler has printed."""
    assert (run.returncode, run.stdout.splitlines()) == (0, ["reached", "at exit"]), str(run)


@pytest.mark.subprocess(check=check_no_unload)
def test_pythonnets_unload_does_not_run() -> None:
    """Pythonnet's exit handler would wait for finalizers while it holds the GIL."""
    import pythonnet

    gc.unfreeze()
    held.append(pnet()(X))

    class Spy:
        def get_function(self, *names: str) -> Any:
            return lambda *_: os.write(1, b"unloaded\n")

    assert pythonnet._LOADER_ASSEMBLY is not None
    pythonnet._LOADER_ASSEMBLY = Spy()  # all that unload does goes through it
    atexit.register(lambda: os.write(1, b"at exit\n"))


@pytest.mark.parametrize(
    "elsewhere",
    [
        pytest.param(False, id="this thread"),
        pytest.param(
            True,
            id="another",
            marks=pytest.mark.skipif(
                sys.platform == "win32",
                reason="Windows' ExitProcess can hang while PyTorch computes, with PyTorch alone too",
            ),
        ),
    ],
)
@pytest.mark.subprocess(check=check_no_collections)
def test_a_model_that_ends_the_process(elsewhere: bool) -> None:
    """End the process by ``Environment.Exit(5)`` in C#, also while another Python thread calls .NET.

    pythonnet's own handler would collect up to 80 times first, which took 30 s.
    """
    gc.unfreeze()
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


def check_buffers(run: Run) -> None:
    """Check that the buffers of C were written, and no exit handler of C ran."""
    assert (run.returncode, sorted(run.stdout.splitlines())) == (5, ["buffered", "reached"]), str(run)


@pytest.mark.skipif(os.name != "posix", reason="exit handlers of C and other threads meet on POSIX only")
@pytest.mark.subprocess(check=check_buffers)
def test_nothing_is_destroyed_under_threads_when_csharp_ends_the_process() -> None:
    """Call ``Environment.Exit`` while Python threads run operators: C's buffers are flushed, and no exit handler runs, nor libtorch's."""
    exiting = extra("Exiting", True)
    libc = ctypes.CDLL(None)
    destructor = b"destroyed"
    held.append(destructor)
    libc.__cxa_atexit(libc.puts, destructor, None)
    libc.puts(b"buffered")
    reached()
    exiting(X)
