"""Forked and spawned children (field notes 8): a fork has one of .NET's dozen threads, and any call would crash it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

START = """
import multiprocessing, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of every fork of a process with threads
model = pnet()
expected = model(X)[0]

def forked(body):
    "The exit code of a forked child that runs body and then leaves as a program does."
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        body()
        sys.exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def is_parent_well():
    assert torch.equal(model(X)[0], expected)
    assert bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet")(X)[0].shape == expected.shape
"""

TOUCHES = {
    "call": "lambda: model(X)",
    "child": "lambda: model.conv1(torch.ones(1, 3, 5, 5))",
    "load": 'lambda: bridge.load(assemblies.sample("Mtcnn.dll"), "Mtcnn.PNet")',
    "train": "lambda: model.train()",
    "record": "lambda: __import__('bridge.runtimes.dotnet').runtimes.dotnet.record(model).__enter__()",
}


@pytest.mark.parametrize("touch", TOUCHES)
def test_a_forked_child_that_touches_dotnet_gets_an_error(snippet: Callable[..., Any], touch: str) -> None:
    """One RuntimeError that says what to do; the child still ends by itself."""
    snippet(
        START
        + f"""
def body():
    error = raised({TOUCHES[touch]})
    assert isinstance(error, RuntimeError) and isinstance(error, bridge.StartError), error
    assert "forked" in str(error) and "'spawn'" in str(error), error
    sys.exit(42)
got = forked(body); assert got == 42, got
is_parent_well()
leaving()
"""
    )


def test_a_forked_child_that_does_not_touch_it_is_fine(snippet: Callable[..., Any]) -> None:
    """It computes with torch on one thread, and leaves with 0 by the long way."""
    done = snippet(
        START
        + """
assert forked(lambda: None) == 0
assert forked(lambda: sys.exit(5)) == 5
assert forked(lambda: (torch.ones(3) + 1).sum()) == 0
grand = lambda: sys.exit(forked(lambda: sys.exit(6)))
assert forked(grand) == 6
is_parent_well()
leaving()
"""
    )
    assert done.stderr == ""


def test_finalizers_in_a_forked_child_do_nothing(snippet: Callable[..., Any]) -> None:
    """Mirrors, results and C# hooks that die there call nothing in .NET; the parent's live on."""
    done = snippet(
        START
        + """
hooked = load("Hooked", "constructor")
held = [hooked(torch.ones(1, 2, requires_grad=True)), expected]
counts = live()
def body():
    global model, hooked, held
    model = hooked = held = None
    for _ in range(3):
        gc.collect()
got = forked(body); assert got == 0, got
now = live(); assert now == counts, (now, counts)
is_parent_well()
leaving()
"""
    )
    assert done.stderr == ""


def test_multiprocessing_by_fork(snippet: Callable[..., Any]) -> None:
    """A Process and a Pool of forked workers, some of which touch .NET."""
    snippet(
        START
        + """
context = multiprocessing.get_context("fork")
def touch(number):
    if number % 2:
        return number
    try:
        model(X)
    except RuntimeError as error:
        return str(error)
with context.Pool(2) as pool:
    answers = pool.map_async(touch, range(4)).get()
assert answers[1] == 1 and answers[3] == 3
assert "forked" in answers[0] and "forked" in answers[2], answers
process = context.Process(target=lambda: None)
process.start()
process.join()
assert process.exitcode == 0
is_parent_well()
leaving()
"""
    )


def test_data_loader_workers(snippet: Callable[..., Any]) -> None:
    """A DataLoader forks two workers while a mirror is alive; a data set that runs the model gets our error."""
    snippet(
        START
        + """
class Numbers(torch.utils.data.Dataset):
    runs_model = False
    def __len__(self):
        return 8
    def __getitem__(self, index):
        return model(X)[0] if self.runs_model else X[0] * index
loader = torch.utils.data.DataLoader(Numbers(), batch_size=2, num_workers=2)
for _ in range(2):
    shapes = [model(batch)[0].shape for batch in loader]
    assert shapes == [(2, 2, 7, 7)] * 4
Numbers.runs_model = True
error = raised(lambda: list(loader))
assert isinstance(error, RuntimeError) and "forked" in str(error), error
is_parent_well()
leaving()
"""
    )


def test_a_child_that_was_forked_first_starts_its_own(snippet: Callable[..., Any]) -> None:
    """Forked before .NET runs, parent and child each start one."""
    snippet(
        """
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            pnet()(X)
            sys.exit(7)
        pnet()(X)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        leaving()
        """
    )


def test_spawned_children_start_their_own(snippet: Callable[..., Any], tmp_path: Path) -> None:
    """The way that the error recommends."""
    (tmp_path / "spawned_work.py").write_text(
        "import torch, bridge\nfrom bridge.clr import assemblies\n"
        "def work(state, x):\n"
        "    model = bridge.load(assemblies.sample('Mtcnn.dll'), 'Mtcnn.PNet')\n"
        "    torch.set_num_threads(1)\n"
        "    model.load_state_dict(state)\n"
        "    return model.eval()(x)[0].detach().numpy()\n"
    )
    snippet(
        START
        + f"""
sys.path.insert(0, {str(tmp_path)!r})
from spawned_work import work
with multiprocessing.get_context("spawn").Pool(1) as pool:
    result = pool.apply_async(work, (model.state_dict(), X)).get(50)
assert torch.equal(torch.from_numpy(result), expected.detach())
leaving()
""",
    )
