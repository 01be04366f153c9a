"""The process killed, hung, corrupted and starved of memory, again and again: every error has its type, and nothing is left."""

from __future__ import annotations

import gc
import os
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.clr.errors import DotNetError
from bridge.torchsharp.process import HostDied, HostError, HostProtocolError, HostTimeout, TorchSharpProcess
from bridge.torchsharp.process.exchange import Exchange
from bridge.torchsharp.process.loader import prepare_torchsharp
from bridge.torchsharp.process.remote_model import Recipe, RemoteModel
from bridge.torchsharp.process.remote_module import build
from bridge.torchsharp.process.system.portable import PREFIX
from tests.support.processes import descriptors, is_running, kill, private_memory, stop

pytestmark = [pytest.mark.dotnet, pytest.mark.usefixtures("on_each_system")]

#: What .NET may have on its heap: little, so that a model that takes more does so soon.
STARVED = {"DOTNET_GCHeapHardLimit": "0x8000000"}


class Life:
    """A model in a host of its own, and the processes that it has had."""

    def __init__(self, model: Path, library: Path, make_host: Callable[..., TorchSharpProcess]) -> None:
        self.pids: list[int] = []
        self.host = make_host(prepare=self._prepared(library), environ=STARVED, timeout=60.0, on_message=None)
        self.module = build(RemoteModel(Exchange(self.host), Recipe(str(model), "Models.Doing", [[], {}])))
        self.x = torch.randn(70_000)

    def _prepared(self, library: Path) -> Callable[[TorchSharpProcess], None]:
        choose = prepare_torchsharp(library)

        def prepare(host: TorchSharpProcess) -> None:
            choose(host)
            self.pids.append(host.hello["pid"])

        return prepare

    def works(self) -> None:
        assert torch.equal(self.module(self.x, "nothing"), self.x)

    def fails(self, what: str) -> BaseException:
        with pytest.raises((HostError, DotNetError)) as caught:
            self._fail(what)
        return caught.value

    def _fail(self, what: str) -> None:
        host, pid = self.host, self.host.pid
        assert pid is not None
        if what == "killed":
            kill(pid)
        elif what == "stopped":
            stop(pid)
            host._timeout = 0.1
        elif what == "killed in a call":
            threading.Timer(0.05, kill, [pid]).start()
        elif what == "hang":
            host._timeout = 0.1
        elif what == "corrupted":
            _corrupt(host)
        try:
            for _ in range(1000):  # what is asked before a signal arrives is answered
                asked = {"killed in a call": "spin", "fail": "fail", "hang": "hang", "hog": "hog", "throw": "throw"}
                self.module(self.x, asked.get(what, "nothing"))
        finally:
            host._timeout = 60.0


def _corrupt(host: TorchSharpProcess) -> None:
    """Insert random bytes before the next answer in the pipe."""
    child = host._child
    assert child is not None
    child._buffer += random.Random(len(child.tail)).randbytes(40).replace(b"\n", b" ") + b"\n"


#: The types that each may have: where a process of little memory ends, .NET itself cannot go on or the model is told.
TYPES: dict[str, tuple[type[BaseException], ...]] = {
    "killed": (HostDied,),
    "stopped": (HostTimeout,),
    "killed in a call": (HostDied,),
    "hang": (HostTimeout,),
    "corrupted": (HostProtocolError,),
    "fail": (HostDied,),
    "hog": (DotNetError, HostDied),
    "throw": (DotNetError,),
}


def _live(life: Life, rounds: int) -> Counter[str]:
    ways = list(TYPES)
    life.works()
    life.works()  # now it is known how much room an answer needs
    gc.collect()
    before = descriptors(), threading.active_count(), _shared(), _blocks(life)
    seen: Counter[str] = Counter()
    for number in range(rounds):
        what = ways[number % len(ways)]
        error = life.fails(what)
        assert isinstance(error, TYPES[what]), (what, error)
        seen[f"{what}: {type(error).__name__}"] += 1
        life.works()
    del error  # its traceback has a block of the process that ended
    gc.collect()
    after = descriptors(), threading.active_count(), _shared(), _blocks(life)
    assert after == before
    assert [pid for pid in life.pids if pid != life.host.pid and is_running(pid)] == []
    life.host.close()
    assert [pid for pid in life.pids if is_running(pid)] == []
    return seen


def _blocks(life: Life) -> int:
    memory = life.module.__dict__["_model"].exchange._memory
    return len(memory._announced)


def _shared() -> tuple[int, list[str]]:
    """Count the files of shared memory: anonymous ones of this process, and named ones of ours on the machine."""
    held = Path("/proc/self/fd")
    links = [str(entry.readlink()) for entry in held.iterdir() if entry.is_symlink()] if sys.platform == "linux" else []
    mine = sum("memfd:torchsharp-bridge" in link for link in links)
    return mine, [entry.name for entry in Path("/dev/shm").glob(f"{PREFIX}*")]


@pytest.fixture
def life(torchsharp_models: Path, torchsharp: Path, make_host: Callable[..., TorchSharpProcess]) -> Life:
    return Life(torchsharp_models, torchsharp, make_host)


@torch.no_grad()
@pytest.mark.slow
def test_two_hundred_lives(life: Life) -> None:
    seen = _live(life, 200)
    assert sum(seen.values()) == 200
    assert {name.partition(":")[0] for name in seen} == set(TYPES)


@torch.no_grad()
def test_twenty_lives(life: Life) -> None:
    assert sum(_live(life, 20).values()) == 20


@torch.no_grad()
def test_what_calls_leave_behind_is_freed(bridge_torch_models: Path) -> None:
    """The collector does not know how large a tensor is: two gigabytes of them were dropped."""
    model = bridge.load(bridge_torch_models, "Models.Identity", runtime="torchsharp")
    x = torch.randn(2_500_000)
    for _ in range(200):
        model(x)
    host = model.__dict__["_model"].exchange.host
    assert private_memory(host.pid) < 1_000_000_000


_SHARING = """
import os, torch, bridge
from tests.support.processes import kill
model = bridge.load(MODEL, "Models.Identity", runtime="torchsharp")
x = torch.randn(500_000)
with torch.no_grad():
    kept = [model(x) for _ in range(5)]
    child = os.fork() if HOW == "forked" else 1
    kept += [model(x) for _ in range(5)]
assert all(torch.equal(y, x) for y in kept)
if child and HOW == "forked":
    assert os.waitpid(child, 0)[1] == 0
HOW == "killed" and kill(os.getpid())
"""


@pytest.mark.parametrize(
    "how",
    [
        "exit",
        "killed",
        pytest.param(
            "forked", marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="forks, which Windows does not have")
        ),
    ],
)
def test_no_name_of_memory_is_left_by_python(
    bridge_torch_models: Path, in_process: Callable[..., Any], on_each_system: str, how: str
) -> None:
    before = _shared()[1]
    program = f"HOW, MODEL = {how!r}, {str(bridge_torch_models)!r}\n{on_each_system}{_SHARING}"
    done = in_process(program)
    assert (done.returncode == 0) == (how != "killed"), done
    assert done.stderr == ""
    assert _shared()[1] == before
