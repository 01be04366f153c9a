"""Threads (issue, acceptance 6): 8 Python threads, one mirrored model, hooks in Python on every module, 500 calls each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

START = """
from bridge.runtimes import dotnet, pytorch
from bridge.samples.mtcnn import PNet
model = pnet()
twin = PNet().eval()
twin.load_state_dict(model.state_dict())
THREADS, CALLS = 8, 500
inputs = [torch.full((1, 3, 24 + 2 * i, 24), 0.1 * i) for i in range(THREADS)]
def steps(trace):
    return [(e.path, e.type, e.phase, e.call, e.parent, e.values) for e in trace]
with torch.no_grad():
    expected = [twin(x) for x in inputs]
    with pytorch.record(twin) as recording:
        twin(inputs[0])
    shape = [(e.path, e.phase, e.call, e.parent) for e in recording.trace]
    wanted = []
    for x in inputs:
        with pytorch.record(twin) as recording:
            twin(x)
        wanted.append(steps(recording.trace))
assert len(wanted[0]) == 22 and wanted[0] != wanted[1]
problems = []
local = threading.local()
def run(work):
    def guarded(index):
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
"""

HOOKS = """
def pre(module, args):
    local.log.append(("pre", names[module]))
def forward(module, args, result):
    local.log.append(("forward", names[module]))
names = {module: name for name, module in model.named_modules()}
order = [(phase, path) for path, _, phase, *_ in wanted[0]]
for module in model.modules():
    module.register_forward_pre_hook(pre)
    module.register_forward_hook(forward)
"""


def test_results_hooks_and_traces(snippet: Callable[..., Any]) -> None:
    """Each call's result, the order of its hooks, and its own trace: complete, in order, nobody else's events."""
    snippet(
        START
        + HOOKS
        + """
def work(index):
    for call in range(CALLS):
        local.log = []
        with dotnet.record(model) as recording:
            result = model(inputs[index])
        assert all(map(torch.equal, result, expected[index])), (index, call)
        assert local.log == order, (index, call, local.log)
        assert steps(recording.trace) == wanted[index], (index, call, steps(recording.trace))
run(work)
leaving()
""",
    )


def test_one_recording_for_all_calls_of_a_thread(snippet: Callable[..., Any]) -> None:
    """Without hooks .NET records by itself, on 8 threads at once: 500 root calls a trace."""
    snippet(
        START
        + """
def work(index):
    with dotnet.record(model) as recording:
        for call in range(CALLS):
            assert all(map(torch.equal, model(inputs[index]), expected[index])), (index, call)
    trace = recording.trace
    assert trace.calls == 11 * CALLS and len(trace) == 22 * CALLS
    events = steps(trace)
    for call in range(CALLS):
        first = 11 * call
        got = [
            (path, type_, phase, number - first, max(parent - first, -1), values)
            for path, type_, phase, number, parent, values in events[2 * first : 2 * first + 22]
        ]
        assert got == wanted[index], (index, call)
run(work)
leaving()
""",
    )


def test_hooks_come_and_go_while_others_call(snippet: Callable[..., Any]) -> None:
    """Half of the threads register and remove, swap weights for equal ones and toggle modes; results stay right."""
    snippet(
        START
        + """
fired = [0] * THREADS
def work(index):
    children = list(model.children())
    for call in range(100):
        if index % 2:
            handle = children[(call + index) % len(children)].register_forward_hook(lambda *_: fired.__setitem__(index, fired[index] + 1))
            if call % 10 == 0:
                child = model.conv2
                child.weight = torch.nn.Parameter(child.weight.detach().clone())
            if call % 10 == 5:
                model.train(), model.eval()
        assert all(map(torch.equal, model(inputs[index]), expected[index])), (index, call)
        if index % 2:
            handle.remove()
run(work)
assert all(count >= 100 for count in fired[1::2]), fired
assert all(not child._forward_hooks for child in model.children())
leaving()
""",
    )
