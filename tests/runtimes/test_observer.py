"""Which calls a recording sees, and what becomes of one whose end no hook sees."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import nn

from bridge.runtimes import pytorch

X = torch.ones(4, 2)


class Interrupted(nn.Module):
    """Is interrupted when its argument is negative."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if float(x.detach().sum()) < 0:
            raise KeyboardInterrupt
        return x


class Swallowing(nn.Module):
    """Runs its children in order; what interrupts the second is swallowed."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.third = Interrupted(), Interrupted(), Interrupted()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        with contextlib.suppress(KeyboardInterrupt):
            self.second(-x)
        return self.third(x)


class Deep(nn.Module):
    """Calls itself."""

    def forward(self, x: torch.Tensor, depth: int, fail: int) -> Any:
        if depth == fail:
            raise KeyboardInterrupt
        if depth == 0:
            return x
        with contextlib.suppress(KeyboardInterrupt):
            return self(x, depth - 1, fail)
        return x


def _seen(trace: Any) -> list[tuple[str, str, int, int]]:
    return [(event.path, event.phase, event.call, event.parent) for event in trace]


def test_what_interrupted_a_call_does_not_become_the_parent_of_the_next() -> None:
    """A-4: what is not an Exception passes without a hook; C-9: parents all the same."""
    net = Swallowing()
    with pytorch.record(net) as recording:
        net(X)
        net(X)
    once = [
        ("", "pre", 0, -1),
        ("first", "pre", 1, 0),
        ("first", "forward", 1, 0),
        ("second", "pre", 2, 0),
        ("third", "pre", 3, 0),
        ("third", "forward", 3, 0),
        ("", "forward", 0, -1),
    ]
    again = [(path, phase, call + 4, parent + 4 if parent >= 0 else -1) for path, phase, call, parent in once]
    assert _seen(recording.trace) == once + again


def test_an_interrupted_root_is_over() -> None:
    """The next root call is a root, and a module that is not part of the model is not recorded."""
    net, foreign = Interrupted(), nn.ReLU()
    with pytorch.record(net) as recording:
        with pytest.raises(KeyboardInterrupt):
            net(-X)
        foreign(X)
        net(X)
    assert _seen(recording.trace) == [("", "pre", 0, -1), ("", "pre", 1, -1), ("", "forward", 1, -1)]


def test_a_module_that_calls_itself_is_interrupted_inside() -> None:
    """The result belongs to the call that gave it, not to the interrupted one of the same module."""
    net = Deep()
    with pytorch.record(net) as recording:
        net(X, 3, 1)
    assert _seen(recording.trace) == [
        ("", "pre", 0, -1),
        ("", "pre", 1, 0),
        ("", "pre", 2, 1),
        ("", "forward", 1, 0),
        ("", "forward", 0, -1),
    ]


def test_a_global_hook_that_raises_before_the_recorder_hides_no_call() -> None:
    """O-1: the recorder's hook was not reached, so that call is not recorded; the one around it is."""
    net = nn.Sequential(nn.ReLU())

    def refuse(module: nn.Module, args: Any) -> None:
        if isinstance(module, nn.ReLU):
            raise ValueError("no")

    handle = nn.modules.module.register_module_forward_pre_hook(refuse)
    try:
        with pytorch.record(net) as recording, pytest.raises(ValueError, match="no"):
            net(X)
    finally:
        handle.remove()
    assert _seen(recording.trace) == [("", "pre", 0, -1)]


def test_tasks_that_overlap_record_their_own_calls() -> None:
    net = nn.Sequential(nn.ReLU())

    async def record(calls: int) -> Any:
        with pytorch.record(net) as recording:
            for _ in range(calls):
                net(X)
                await asyncio.sleep(0)
        return recording.trace

    async def both() -> list[Any]:
        return await asyncio.gather(record(2), record(5))

    assert [trace.calls for trace in asyncio.run(both())] == [4, 10]


def test_what_a_context_hands_on_is_seen() -> None:
    net = nn.Sequential(nn.ReLU())

    async def inside() -> None:
        await asyncio.gather(asyncio.to_thread(net, X), asyncio.to_thread(net, X))

    with pytorch.record(net) as recording:
        asyncio.run(inside())
    trace = recording.trace
    assert trace.calls == 4
    assert sorted(event.parent for event in trace if event.path == "") == [-1] * 4
    roots = {event.call for event in trace if event.path == ""}
    assert {event.parent for event in trace if event.path == "0"} == roots
    assert [event.seq for event in trace] == list(range(8))


def test_recordings_inside_of_each_other_see_the_same() -> None:
    net = nn.Sequential(nn.ReLU())
    with pytorch.record(net) as outer:
        net(X)
        with pytorch.record(net) as inner:
            net(X)
    assert (outer.trace.calls, inner.trace.calls) == (4, 2)


def test_left_on_another_thread() -> None:
    net = nn.Sequential(nn.ReLU())
    recording = pytorch.record(net)
    begun = recording.__enter__()
    net(X)
    _elsewhere(lambda: recording.__exit__(None, None, None))
    net(X)
    assert begun.trace.calls == 2


def test_other_threads_are_not_seen() -> None:
    net = nn.Sequential(nn.ReLU())
    with pytorch.record(net) as recording, ThreadPoolExecutor(1) as pool:
        pool.submit(net, X).result()
    assert len(recording.trace) == 0


def _elsewhere(work: Callable[[], Any]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
