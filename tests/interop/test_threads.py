"""8 Python threads call one model 500 times each, with hooks on every module."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge.runtimes import dotnet, pytorch
from bridge.samples.mtcnn import PNet
from bridge.trace import Trace
from tests.interop.helpers import pnet

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(shared=True)]


THREADS, CALLS = 8, 500


def comparable(trace: Trace) -> list[tuple[Any, ...]]:
    """Return the events of a trace without the fields that differ between runtimes."""
    return [(e.path, e.type, e.phase, e.call, e.parent, e.values) for e in trace]


class Work:
    """A mirrored model, an input for each thread, and what PyTorch's original makes of it: results and traces."""

    def __init__(self) -> None:
        self.model = pnet()
        original = PNet().eval()
        original.load_state_dict(self.model.state_dict())
        self.inputs = [torch.full((1, 3, 24 + 2 * i, 24), 0.1 * i) for i in range(THREADS)]
        self.wanted: list[list[tuple[Any, ...]]] = []
        with torch.no_grad():
            self._expected = [original(x) for x in self.inputs]
            for x in self.inputs:
                with pytorch.record(original) as recording:
                    original(x)
                self.wanted.append(comparable(recording.trace))
        assert len(self.wanted[0]) == 22
        assert self.wanted[0] != self.wanted[1]

    def call(self, index: int, number: int) -> None:
        """Call ``number`` of thread ``index``, which gives its own result."""
        assert all(map(torch.equal, self.model(self.inputs[index]), self._expected[index])), (index, number)


def run(work: Callable[[int], None]) -> None:
    """Run work on all threads at once, without gradients; fail with the first exceptions."""
    problems: list[str] = []

    def guarded(index: int) -> None:
        try:
            with torch.no_grad():
                work(index)
        except BaseException as error:
            problems.append(repr(error))

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == [], problems[:3]


def test_results_hooks_and_traces() -> None:
    """Each call's result, the order of its hooks, and its own trace: complete, in order, nobody else's events."""
    its = Work()
    local = threading.local()
    names = {module: name for name, module in its.model.named_modules()}
    order = [(phase, path) for path, _, phase, *_ in its.wanted[0]]

    def pre(module: Any, args: Any) -> None:
        local.log.append(("pre", names[module]))

    def forward(module: Any, args: Any, result: Any) -> None:
        local.log.append(("forward", names[module]))

    for module in its.model.modules():
        module.register_forward_pre_hook(pre)
        module.register_forward_hook(forward)

    def work(index: int) -> None:
        for number in range(CALLS):
            local.log = []
            with dotnet.record(its.model) as recording:
                its.call(index, number)
            assert local.log == order, (index, number, local.log)
            assert comparable(recording.trace) == its.wanted[index], (index, number, comparable(recording.trace))

    run(work)


def test_one_recording_for_all_calls_of_a_thread() -> None:
    """Without hooks .NET records by itself, on 8 threads at once: 500 root calls a trace."""
    its = Work()

    def work(index: int) -> None:
        with dotnet.record(its.model) as recording:
            for number in range(CALLS):
                its.call(index, number)
        trace = recording.trace
        assert trace.calls == 11 * CALLS
        assert len(trace) == 22 * CALLS
        events = comparable(trace)
        for number in range(CALLS):
            first = 11 * number
            got = [
                (path, type_, phase, call - first, max(parent - first, -1), values)
                for path, type_, phase, call, parent, values in events[2 * first : 2 * first + 22]
            ]
            assert got == its.wanted[index], (index, number)

    run(work)


def test_hooks_come_and_go_while_others_call() -> None:
    """Half of the threads register and remove, swap weights for equal ones and toggle modes; results stay right."""
    its = Work()
    model = its.model
    fired = [0] * THREADS

    def work(index: int) -> None:
        def count(*_: Any) -> None:
            fired[index] += 1

        children = list(model.children())
        for number in range(100):
            if index % 2:
                handle = children[(number + index) % len(children)].register_forward_hook(count)
                if number % 10 == 0:
                    model.conv2.weight = torch.nn.Parameter(model.conv2.weight.detach().clone())
                if number % 10 == 5:
                    model.train()
                    model.eval()
            its.call(index, number)
            if index % 2:
                handle.remove()

    run(work)
    assert all(count >= 100 for count in fired[1::2]), fired
    assert all(not child._forward_hooks for child in model.children())
