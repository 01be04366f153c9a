"""Unbounded recursion (issue: a .NET stack overflow cannot be caught): RecursionError, on every kind of thread, and the process goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

START = """
X1 = torch.ones(1)
def well():
    assert torch.equal(load("Countdown", 3)(X1), X1 + 1)
def on_thread(work, size=0):
    if size is None:
        return work()
    threading.stack_size(size)
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    threading.stack_size(0)
    assert len(results) == 1, "the thread did not end"
    return results[0]
"""


@pytest.mark.parametrize("size", [None, 0, 1 << 20], ids=["main", "thread", "small stack"])
@pytest.mark.parametrize("hook", ["none", "pre", "forward"])
def test_endless_recursion(snippet: Callable[..., Any], hook: str, size: int | None) -> None:
    """Bare, C# recurses by itself; with a hook, every level goes through Python."""
    snippet(
        START
        + f"""
model = load("Endless")
fired = 0
def hook(*_):
    global fired
    fired += 1
if {hook!r} == "pre":
    model.register_forward_pre_hook(hook)
elif {hook!r} == "forward":
    model.register_forward_hook(hook)
for _ in range(2):
    error = on_thread(lambda: raised(lambda: model(X1)), {size})
    assert isinstance(error, RecursionError), repr(error)[:2000]
    assert {hook!r} != "pre" or fired > 20
    well()
leaving()
"""
    )


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
def test_a_deep_recursion_that_ends_works(snippet: Callable[..., Any], hooked: bool) -> None:
    """500 levels in C#; with a hook, as many as Python's own limit lets through."""
    snippet(
        START
        + f"""
deep = {"60" if hooked else "500"}
model = load("Countdown", deep)
fired = []
if {hooked}:
    model.register_forward_hook(lambda *_: fired.append(1))
for _ in range(3):
    assert torch.equal(on_thread(lambda: model(X1), None), X1 + 1)
    assert torch.equal(on_thread(lambda: model(X1)), X1 + 1)
assert len(fired) == (6 * deep if {hooked} else 0)
leaving()
"""
    )


def test_recursion_through_a_hook(snippet: Callable[..., Any]) -> None:
    """A hook that calls its own module: Python's RecursionError or ours, and no crash."""
    snippet(
        START
        + """
model = pnet()
model.conv2.register_forward_hook(lambda *_: model(X) and None)
for _ in range(2):
    assert isinstance(raised(lambda: model(X)), RecursionError)
sys.setrecursionlimit(1_000_000)  # Python's own limit is no help now
error = raised(lambda: model(X))
assert isinstance(error, RecursionError), repr(error)[:2000]
well()
leaving()
"""
    )
