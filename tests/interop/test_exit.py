"""Leaving the process (field notes 1 and 8): its own exit code, by itself and silently, whatever is alive on both sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

WAYS = {0: "leaving()", 1: "leaving(); raise ValueError('uncaught')", 3: "leaving(); sys.exit(3)"}

COLLECT_WHILE_EXITING = """
from System import GC
def storm():
    gc.collect()
    GC.Collect()
    GC.WaitForPendingFinalizers()
atexit.register(storm)
"""

GRAPHS = """
model = pnet()
x = X.clone().requires_grad_()
held = [model(x) for _ in range(50)]                # C# made the tensors that these graphs have saved
loss = sum(a.sum() + b.sum() for a, b in held)
seen = []
for module in model.modules():
    module.register_forward_hook(lambda module, args, result: seen.append(result))
    module.register_forward_pre_hook(lambda module, args: seen.append(args))
    module.register_full_backward_hook(lambda module, *grads: seen.append(grads))
held.append(model(x))
assert len(seen) == 22 and loss.grad_fn is not None
"""

GARBAGE = """
keepers = []
for _ in range(20):
    keeper = load("Keeper")
    for _ in range(5):
        keepers.append((keeper, keeper(torch.ones(1, 2, requires_grad=True))))
litter = extra("Littering")
shared = torch.ones(2, requires_grad=True)
for _ in range(40):
    keepers.append(litter(shared * 2))
assert live()[0] > 1000, live()
hooked = load("Hooked", "constructor")
hooked(torch.ones(1, 2))
assert live()[2] == 20 + 4, live()
model = pnet()
for child in model.children():
    child.register_forward_hook(lambda *_: None)
held = model(X)
del keepers, keeper
"""

DAEMON = """
model = pnet()
for child in model.children():
    child.register_forward_hook(lambda *_: None)
calls = 0
def forever():
    global calls
    while True:
        model(X)
        calls += 1
for _ in range(2):
    threading.Thread(target=forever, daemon=True).start()
while calls < 20:
    time.sleep(0.01)
"""

RESTLESS = """
model = extra("Restless", {what!r})
fired = 0
def hook(*_):
    global fired
    fired += 1
model.child.register_forward_hook(hook)
held = [model(torch.ones(2, requires_grad=True)) for _ in range(3)]
while {what!r} == "call" and fired < 20:
    time.sleep(0.01)
assert fired >= 3
time.sleep(0.2)
"""


def _leave(snippet: Callable[..., Any], code: str, returncode: int) -> None:
    done = snippet(code + WAYS[returncode], returncode)
    if returncode == 1:
        lines = done.stderr.splitlines()
        assert (lines[0], lines[-1]) == ("Traceback (most recent call last):", "ValueError: uncaught")
        assert done.stderr.count("Traceback") == 1
    else:
        assert done.stderr == ""


@pytest.mark.parametrize("returncode", WAYS)
def test_with_graphs_and_hooks_alive(snippet: Callable[..., Any], returncode: int) -> None:
    """1: the last reference to a tensor that autograd saved dies while Python goes."""
    _leave(snippet, GRAPHS, returncode)


@pytest.mark.parametrize("returncode", WAYS)
def test_with_garbage_of_both_collectors(snippet: Callable[..., Any], returncode: int) -> None:
    """1, 8: C# tensors wait for finalizers, and .NET collects while the process leaves."""
    _leave(snippet, GARBAGE + COLLECT_WHILE_EXITING, returncode)


@pytest.mark.parametrize("returncode", WAYS)
def test_with_a_daemon_thread_that_keeps_calling(snippet: Callable[..., Any], returncode: int) -> None:
    """1: a Python thread is inside .NET when the interpreter goes."""
    _leave(snippet, DAEMON, returncode)


@pytest.mark.parametrize("what", ["allocate", "collect", "call"])
@pytest.mark.parametrize("returncode", WAYS)
def test_with_a_dotnet_thread(snippet: Callable[..., Any], returncode: int, what: str) -> None:
    """1: a .NET thread allocates tensors, forces collections or calls a listened child while the interpreter goes."""
    _leave(snippet, RESTLESS.format(what=what), returncode)


def test_pythonnets_unload_does_not_run(snippet: Callable[..., Any]) -> None:
    """1: pythonnet's exit handler would wait for finalizers while it holds the GIL."""
    done = snippet(
        """
        import pythonnet
        held = pnet()(X)
        class Spy:
            def get_function(self, *names):
                return lambda *_: print("unloaded", flush=True)
        assert pythonnet._LOADER_ASSEMBLY is not None
        pythonnet._LOADER_ASSEMBLY = Spy()   # all that unload does goes through it
        atexit.register(lambda: print("at exit", flush=True))
        leaving()
        """
    )
    assert done.stdout.splitlines()[1:] == ["at exit"]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["this thread", "another"])
def test_a_model_that_ends_the_process(snippet: Callable[..., Any], elsewhere: bool) -> None:
    """1: ``Environment.Exit(5)`` in C# ends it with that code, also while another Python thread calls .NET. pythonnet's own handler
    would collect up to 80 times first, which took 30 s."""
    done = snippet(
        f"""
        exiting, busy = extra("Exiting", {elsewhere}), pnet()
        def work():
            while True:
                busy(X)
        threading.Thread(target=work, daemon=True).start()
        gc.callbacks.append(lambda phase, info: info["generation"] == 2 and os.write(1, b"collected\\n"))
        reached()
        exiting(X)
        """,
        5,
    )
    assert done.stdout.count("collected") < 10
