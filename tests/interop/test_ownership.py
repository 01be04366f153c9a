"""Who owns a tensor when threads go on, dispose or rebind while others use it: an exception at worst, never the end of the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

STRAGGLERS = """
model, ends = load("Straggler"), load("Straggler+Ends")
x = torch.ones(2, 4)
for what in ("shape", "item", "array", "operator", "parameter", "child"):
    for round in range(ROUNDS):
        for thread in range(4):
            model(x, what)
        report = ends(x)
        assert report == "ObjectDisposedException", (what, round, report)
    print(what, "in", ROUNDS, "rounds", flush=True)
leaving()
"""

REBINDING = """
model = load("Pair").eval()
x = torch.ones(2, 3)
expected = model(x)
state = {name: value.clone() for name, value in model.state_dict().items()}
problems = []
finished = threading.Event()
def guarded(work):
    def run():
        try:
            work()
        except BaseException as error:
            problems.append(repr(error))
    return threading.Thread(target=run)
def call():
    with torch.no_grad():
        for _ in range(CALLS):
            assert torch.equal(model(x), expected)
def assign():
    while not finished.is_set():
        model.load_state_dict({name: value.clone() for name, value in state.items()}, assign=True)
def rebind():
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
leaving()
"""


def test_a_thread_that_outlives_its_call_is_refused(snippet: Callable[..., Any]) -> None:
    """It holds a tensor, a parameter or a child after ``forward`` returned: ObjectDisposedException."""
    snippet("ROUNDS = 1" + STRAGGLERS)


@pytest.mark.slow
def test_many_threads_that_outlive_their_calls_are_refused(snippet: Callable[..., Any]) -> None:
    """Whatever the timing."""
    snippet("ROUNDS = 100" + STRAGGLERS)


def test_weights_are_rebound_while_others_call(snippet: Callable[..., Any]) -> None:
    """``load_state_dict(assign=True)``, assignment and rebound dictionaries beside three calling threads."""
    snippet("CALLS = 100" + REBINDING)


@pytest.mark.slow
def test_weights_are_rebound_while_others_call_for_long(snippet: Callable[..., Any]) -> None:
    snippet("CALLS = 10000" + REBINDING)


def test_tensors_are_disposed_on_other_threads(snippet: Callable[..., Any]) -> None:
    """Threads of a pool dispose what ``forward`` makes while it makes more."""
    snippet(
        """
        model = load("DisposedElsewhere")
        x = torch.ones(3)
        for _ in range(5):
            assert torch.equal(model(x), x * 2)
        collect()
        before = live()[0]
        model(x)
        collect()
        assert live()[0] <= before, (live(), before)
        leaving()
        """,
    )


def test_a_constructor_runs_while_python_runs(snippet: Callable[..., Any]) -> None:
    """It may wait for tasks that need the GIL, and for what Python does on other threads."""
    snippet(
        """
        import pathlib, tempfile
        assert load("WaitsForTask")(X) is X
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "made")
            timer = threading.Timer(0.2, file.touch)
            timer.start()
            assert load("WaitsForFile", str(file))(X) is X
            timer.join()
        leaving()
        """,
    )
