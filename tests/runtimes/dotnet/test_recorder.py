"""Bridge.Torch as a runtime, against PyTorch: equal traces, and differences that are named."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import bridge
from bridge.clr.find.assemblies import sample
from bridge.runtimes import dotnet, pytorch
from bridge.runtimes.dotnet.recorder import _DotNetRecorder
from bridge.samples.mtcnn import PNet
from bridge.trace.diff import Diff, diff

pytestmark = pytest.mark.usefixtures("one_thread")

SOURCE = Path(__file__).parents[3] / "dotnet" / "samples" / "Mtcnn" / "PNet.cs"
Build = Callable[[dict[str, str], str], Path]


@pytest.fixture
def x() -> torch.Tensor:
    torch.manual_seed(7)
    return torch.rand(2, 3, 24, 20)


def _pnet(assembly: Path, original: PNet) -> bridge.Mirror:
    model = bridge.load(assembly, "Mtcnn.PNet")
    model.load_state_dict(original.state_dict())
    return model


def _diff(original: PNet, model: bridge.Mirror, x: torch.Tensor) -> Diff:
    with pytorch.record(original, values="full") as left:
        original(x)
    with dotnet.record(model, values="full") as right:
        model(x)
    return diff(left.trace, right.trace)


def _changed(build_csharp: Build, name: str, *changes: tuple[str, str]) -> Path:
    source = SOURCE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return build_csharp({"PNet.cs": source}, name)


@pytest.mark.parametrize("hooked", ["none", "one", "all", "global"])
def test_equal_models_leave_equal_traces(dotnet_host: object, x: torch.Tensor, hooked: str) -> None:
    """Whether .NET makes the calls by itself or PyTorch because something listens: the same events, bit-equal values."""
    original = PNet()
    model = _pnet(sample("Mtcnn.dll"), original)
    fired: list[str] = []
    handles: list[Any] = []
    if hooked == "one":
        handles.append(model.conv2.register_forward_hook(lambda *_: fired.append("conv2")))
    elif hooked == "all":
        handles += [module.register_forward_hook(lambda *_: fired.append("x")) for module in model.modules()]
    elif hooked == "global":
        handles.append(torch.nn.modules.module.register_module_forward_pre_hook(lambda *_: fired.append("g")))
    result = _diff(original, model, x)
    for handle in handles:
        handle.remove()
    assert result.same, result.explain()
    assert result.largest_difference == 0
    assert result.a.calls == result.b.calls == 11
    assert len(fired) == {"none": 0, "one": 1, "all": 11, "global": 22}[hooked]


def test_swapped_calls_are_the_first_structural_difference(build_csharp: Build, x: torch.Tensor) -> None:
    """C-9: order of the children's calls."""
    swapped = _changed(
        build_csharp,
        "Swapped",
        ("var probabilities = softmax4_1.call(conv4_1.call(x));", "var offsets = conv4_2.call(x);"),
        (
            "var offsets = conv4_2.call(x);\n        return",
            "var probabilities = softmax4_1.call(conv4_1.call(x));\n        return",
        ),
    )
    original = PNet()
    result = _diff(original, _pnet(swapped, original), x)
    assert not result.same
    first = result.first_structural
    assert first is not None
    assert first.kind == "moved"
    assert first.path in ("conv4_1", "conv4_2")
    assert first.clause in ("C-9", "O-1")
    assert result.bypassed == ()


def test_a_child_run_by_forward_is_named(build_csharp: Build, x: torch.Tensor) -> None:
    """C-3: the bypassed child, with the line of the fix; its neighbours' values are still compared."""
    bypassing = _changed(build_csharp, "Bypassing", ("conv2.call(", "conv2.forward("))
    original = PNet()
    result = _diff(original, _pnet(bypassing, original), x)
    assert result.bypassed == ("conv2",)
    first = result.first_structural
    assert first is not None
    assert (first.path, first.clause) == ("conv2", "C-3")
    assert "conv2.call(" in result.explain()
    assert result.first_numeric is None


def test_a_changed_weight_names_the_first_module_whose_output_differs(dotnet_host: object, x: torch.Tensor) -> None:
    original = PNet()
    model = _pnet(sample("Mtcnn.dll"), original)
    with torch.no_grad():
        model.conv3.weight[5, 2, 1, 1] += 1e-3
    result = _diff(original, model, x)
    assert result.structural == ()
    first = result.first_numeric
    assert first is not None
    assert (first.path, first.phase) == ("conv3", "forward")
    assert 0 < first.absolute < 1e-2


def test_the_recorder_does_not_enter_python(
    dotnet_host: object, x: torch.Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recording is never a callback: the children's mirrors are not called."""
    model = _pnet(sample("Mtcnn.dll"), PNet())
    entered: list[int] = []
    monkeypatch.setattr(torch.nn.functional, "conv2d", lambda *_: entered.append(1))
    with dotnet.record(model) as recording:
        model(x)
    assert entered == []
    assert recording.trace.calls == 11
    assert model(x)[0].shape == (2, 2, 7, 5)


def test_a_python_module_in_the_tree_is_recorded_too(dotnet_host: object, x: torch.Tensor) -> None:
    original = PNet()
    model = _pnet(sample("Mtcnn.dll"), original)
    replacement = torch.nn.Sequential(torch.nn.PReLU(16))
    original.prelu2 = replacement
    model.prelu2 = replacement
    result = _diff(original, model, x)
    assert result.same, result.explain()
    assert [event.path for event in result.b if "prelu2" in event.path] == ["prelu2", "prelu2.0", "prelu2.0", "prelu2"]


def test_a_failed_call_is_closed(dotnet_host: object, x: torch.Tensor) -> None:
    model = _pnet(sample("Mtcnn.dll"), PNet())
    for hooked in (False, True):
        if hooked:
            model.conv1.register_forward_pre_hook(lambda *_: None)
        with dotnet.record(model) as recording:
            # A built-in with a Python pre hook runs PyTorch's own forward.
            with pytest.raises(RuntimeError if hooked else bridge.DotNetError, match="channels"):
                model(torch.ones(1, 5, 9, 9))
            model(x)
        assert [event.phase for event in recording.trace][:3] == ["pre", "pre", "pre"]
        assert recording.trace[2].parent == -1
        assert recording.trace.calls == 2 + 11


def test_each_thread_records_its_own(dotnet_host: object, x: torch.Tensor) -> None:
    model = _pnet(sample("Mtcnn.dll"), PNet())
    traces: dict[int, Any] = {}

    def run(number: int) -> None:
        with dotnet.record(model) as recording:
            for _ in range(number):
                model(x)
        traces[number] = recording.trace

    threads = [threading.Thread(target=run, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: trace.calls for number, trace in traces.items()} == {number: 11 * number for number in range(1, 5)}


def _raises(error: type[BaseException]) -> Callable[..., None]:
    def hook(*_: object) -> None:
        raise error

    return hook


@pytest.mark.dotnet
@pytest.mark.parametrize("listened", [(), ("second",), ("second", "third"), ("second", "third.inner")])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_swallowed_exception_leaves_no_call_open(
    recorded: Callable[[str], bridge.Mirror], listened: tuple[str, ...], error: type[BaseException]
) -> None:
    """C-9: a call swallowed in the second child does not become the parent of the third."""
    model = recorded("Swallowing")
    for path in listened:
        model.get_submodule(path).register_forward_pre_hook(lambda *_: None)
    if listened:
        model.second.register_forward_pre_hook(_raises(error))
    with dotnet.record(model) as recording:
        if listened and error is KeyboardInterrupt:
            with pytest.raises(KeyboardInterrupt):  # swallowed in C#, but still raised when its call ends
                model(torch.ones(2))
        else:
            model(torch.ones(2))
    parents = {event.path: event.parent for event in recording.trace if event.phase == "pre"}
    calls = {event.path: event.call for event in recording.trace if event.phase == "pre"}
    assert calls[""] == 0
    assert {path: parents[path] for path in ("", "first", "second", "third")} == {
        "": -1,
        "first": 0,
        "second": 0,
        "third": 0,
    }
    assert parents["third.inner"] == calls["third"]
    assert len([event for event in recording.trace if event.path == "third"]) == 2


def test_an_interrupted_root_is_over(dotnet_host: object, x: torch.Tensor) -> None:
    """The next root call has no parent, and models that are not recorded stay so, run by hand too."""
    model, foreign = _pnet(sample("Mtcnn.dll"), PNet()), _pnet(sample("Mtcnn.dll"), PNet())
    handle = model.register_forward_pre_hook(_raises(KeyboardInterrupt))
    with dotnet.record(model) as recording:
        with pytest.raises(KeyboardInterrupt):
            model(x)
        handle.remove()
        foreign.forward(x)
        foreign(x)
        model(x)
    roots = [event for event in recording.trace if event.path == "" and event.phase == "pre"]
    assert [(event.call, event.parent) for event in roots] == [(0, -1), (1, -1)]
    assert recording.trace.calls == 1 + 11
    assert not any(event.path.startswith("?") for event in recording.trace)


def test_left_on_another_thread(dotnet_host: object, x: torch.Tensor) -> None:
    """Begun here and ended there, while other threads record their own."""
    model = _pnet(sample("Mtcnn.dll"), PNet())
    begun = bridge.record(model, values="digest")
    recording = begun.__enter__()
    model(x)
    thread = threading.Thread(target=begun.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    model(x)
    assert recording.trace.calls == 11
    with dotnet.record(model) as again:
        model(x)
    assert again.trace.calls == 11


def test_a_hook_that_comes_after_the_end_is_ignored(dotnet_host: object, x: torch.Tensor) -> None:
    """Another thread may have fixed the list of its global hooks (D-1a) when a recording ends, and run the recorder's a moment later."""
    from torch.nn.modules import module as globals_

    model = bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet").eval()
    with dotnet.record(model) as recording:
        model(x)
        pre = list(globals_._global_forward_pre_hooks.values())[-1]
        forward = list(globals_._global_forward_hooks.values())[-1]
    events = len(recording.trace)
    assert pre(model, (x,)) is None
    assert forward(model, (x,), x) is None
    assert len(recording.trace) == events == 22


@pytest.mark.parametrize("hooked", [False, True])
def test_tasks_that_overlap_record_their_own_calls(dotnet_host: object, x: torch.Tensor, hooked: bool) -> None:
    model, other = _pnet(sample("Mtcnn.dll"), PNet()), _pnet(sample("Mtcnn.dll"), PNet())
    if hooked:
        model.conv2.register_forward_hook(lambda *_: None)

    async def record(model: bridge.Mirror, calls: int) -> Any:
        with dotnet.record(model, values="digest") as recording:
            for _ in range(calls):
                model(x)
                await asyncio.sleep(0)
        return recording.trace

    async def both() -> list[Any]:
        return await asyncio.gather(record(model, 1), record(model, 3), record(other, 2))

    traces = asyncio.run(both())
    assert [trace.calls for trace in traces] == [11, 33, 22]
    assert all(event.path == "" or event.parent >= 0 for trace in traces for event in trace)
    assert not any(event.path.startswith("?") for trace in traces for event in trace)


def test_recordings_inside_of_each_other_see_the_same(dotnet_host: object, x: torch.Tensor) -> None:
    """Each its own models and values; a recording of a part sees what is below that part."""
    model = _pnet(sample("Mtcnn.dll"), PNet())
    with dotnet.record(model, values="full") as outer:
        model(x)
        with dotnet.record({"part": model.conv1}) as part, dotnet.record(model) as inner:
            model(x)
    assert (outer.trace.calls, inner.trace.calls) == (22, 11)
    assert [(event.path, event.phase, event.call, event.parent) for event in part.trace] == [
        ("part", "pre", 0, -1),
        ("part", "forward", 0, -1),
    ]
    assert all(value.data is not None for event in outer.trace for value in event.values)


@pytest.mark.dotnet
@pytest.mark.parametrize("listened", [(), ("task",), ("thread.inner",), ("", "task", "task.inner", "thread", "own")])
def test_calls_on_threads_of_dotnet_are_recorded(
    recorded: Callable[[str], bridge.Mirror], listened: tuple[str, ...]
) -> None:
    """C-9: in order and with their parents, whichever side makes the calls."""
    model = recorded("Tasks")
    for path in listened:
        model.get_submodule(path).register_forward_hook(lambda *_: None)
    with dotnet.record(model, values="digest") as recording:
        model(torch.ones(2))
    seen = [(event.path, event.phase, event.call, event.parent) for event in recording.trace]
    inside = [
        entry
        for number, path in enumerate(("task", "thread", "own"))
        for call in (1 + 2 * number,)
        for entry in (
            (path, "pre", call, 0),
            (f"{path}.inner", "pre", call + 1, call),
            (f"{path}.inner", "forward", call + 1, call),
            (path, "forward", call, 0),
        )
    ]
    assert seen == [("", "pre", 0, -1), *inside, ("", "forward", 0, -1)]


@pytest.mark.dotnet
def test_a_mirror_among_pythons_modules_is_recorded_alike(recorded: Callable[[str], bridge.Mirror]) -> None:
    """C-9: below a Python module, and beside one, as alone: the calls on .NET's threads too."""
    model, x = recorded("Tasks"), torch.ones(2)

    def seen(recording: Any, root: str) -> list[Any]:
        events = [event for event in recording.trace if event.path.startswith(root)]
        return [
            (event.path.removeprefix(root).removeprefix("."), event.type, event.phase, event.values) for event in events
        ]

    with bridge.record(model, values="digest") as alone:
        model(x)
    around = torch.nn.Sequential(torch.nn.Identity(), model, torch.nn.Identity())
    with bridge.record(around, values="digest") as below:
        around(x)
    linear = torch.nn.Linear(2, 2)
    with bridge.record({"linear": linear, "model": model}, values="digest") as beside:
        linear(model(x))
    expected = seen(alone, "")
    assert len(expected) == 14
    assert seen(below, "1") == seen(beside, "model") == expected
    assert [event.path for event in below.trace][:4] == ["", "0", "0", "1"]
    assert {event.parent for event in below.trace if event.path == "1"} == {0}
    assert [event.path for event in beside.trace][-2:] == ["linear", "linear"]
    assert below.trace.runtime == beside.trace.runtime == "dotnet"
    for models in (model, around, {"linear": linear, "model": model}):
        with (
            pytest.raises(TypeError, match=r"is a \.NET module: record it with bridge\.record"),
            pytorch.record(models),
        ):  # type: ignore[arg-type]
            pytest.fail("not refused")
    with pytest.raises(TypeError, match="no module of 'the model' is a .NET module"), dotnet.record(linear):
        pytest.fail("not refused")


@pytest.mark.dotnet
@pytest.mark.parametrize("hooked", [False, True])
def test_calls_at_once_are_all_recorded(recorded: Callable[[str], bridge.Mirror], hooked: bool) -> None:
    model = recorded("Parallel")
    if hooked:
        model.child.inner.register_forward_hook(lambda *_: None)
    with dotnet.record(model, values="digest") as recording:
        model(torch.ones(2))
    trace = recording.trace
    children = {event.call for event in trace if event.path == "child" and event.phase == "pre"}
    assert len(children) == 64
    assert {event.parent for event in trace if event.path == "child"} == {0}
    assert {event.parent for event in trace if event.path == "child.inner"} == children
    assert len(trace) == 2 * (1 + 64 + 64)
    assert {len(event.values) for event in trace} == {1}


class Rows(torch.nn.Module):
    """Recorded.Rows in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        twice = torch.nn.Tanh()
        inner = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Sigmoid())
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, 2), twice, inner, torch.nn.Linear(2, 2), twice)

    def forward(self, x: torch.Tensor) -> Any:
        return self.layers(x)


@pytest.fixture
def rows(recorded: Callable[[str], bridge.Mirror]) -> tuple[Rows, bridge.Mirror]:
    """Return the counterpart and the C# model, with equal weights."""
    original, model = Rows(), recorded("Rows")
    model.load_state_dict(original.state_dict())
    return original, model


@pytest.fixture
def observed(monkeypatch: pytest.MonkeyPatch) -> list[torch.nn.Module]:
    """Collect the modules whose calls Python observes for .NET."""
    seen: list[torch.nn.Module] = []
    begin = _DotNetRecorder.begin

    def noting(self: _DotNetRecorder, module: torch.nn.Module, *given: Any) -> int:
        seen.append(module)
        return begin(self, module, *given)

    monkeypatch.setattr(_DotNetRecorder, "begin", noting)
    return seen


@pytest.mark.dotnet
@pytest.mark.parametrize("values", ["none", "digest"])
@pytest.mark.parametrize("hooked", [None, "", "layers", "layers.1", "layers.2", "layers.2.1"])
def test_operators_in_a_row_are_recorded_as_pytorchs(
    rows: tuple[Rows, bridge.Mirror], observed: list[torch.nn.Module], values: Any, hooked: str | None
) -> None:
    """C-9: with gradients and without, and after an error in the middle; Python is entered for a digest of the root alone."""
    original, model = rows
    if hooked is not None:
        for net in rows:
            net.get_submodule(hooked).register_forward_hook(lambda *_: None)
    traces = []
    for runtime, net in ((pytorch, original), (dotnet, model)):
        x = torch.ones(1, 2)
        net(x)
        observed.clear()
        with runtime.record(net, values=values) as recording:  # type: ignore[attr-defined]  # both are modules with `record`
            net(x)
            with torch.no_grad():
                net(x)
            weight = net.layers[3].weight
            net.layers[3].weight = torch.nn.Parameter(torch.ones(2, 3))
            with pytest.raises(RuntimeError, match="shape"):
                net(x)
            net.layers[3].weight = weight
            net(x)
        traces.append(recording.trace)
    found = diff(*traces)
    assert found.same, found.explain()
    assert [event.values for event in traces[1]] == [event.values for event in traces[0]]
    assert [event.phase for event in traces[1] if event.call == traces[1][-1].call] == ["pre", "forward"]
    if hooked is None and values == "none":
        # After a write, the first call finds out what was written, through PyTorch.
        assert set(observed) <= {model}
        assert len(observed) == 2


@pytest.mark.dotnet
def test_a_call_inside_an_operator_has_the_operator_as_its_parent(
    rows: tuple[Rows, bridge.Mirror], recorded: Callable[[str], bridge.Mirror]
) -> None:
    """C-9: a dispatch mode runs Python code in an operator of a row."""
    model, other = rows[1], recorded("Block")

    class Calling(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function is torch.ops.aten.sigmoid.default:
                other(torch.ones(2))
            return function(*args, **(kwargs or {}))

    with dotnet.record({"model": model, "other": other}) as recording, Calling(), torch.no_grad():
        model(torch.ones(1, 2))
    calls = {event.path: event.call for event in recording.trace if event.phase == "pre"}
    assert [event.parent for event in recording.trace if event.path == "other"] == [calls["model.layers.2.1"]] * 2
    assert recording.trace[-1].path == "model"


@pytest.mark.dotnet
def test_a_forward_run_by_hand_after_an_interrupt_is_recorded(rows: tuple[Rows, bridge.Mirror]) -> None:
    """C-9: the interrupted calls are over, also those of which Python's observer saw no end."""
    model, x = rows[1], torch.ones(1, 2)
    model(x)
    handle = model.layers[3].register_forward_pre_hook(_raises(KeyboardInterrupt))
    with dotnet.record(model) as recording:
        with pytest.raises(KeyboardInterrupt):
            model(x)
        handle.remove()
        model.forward(x)
        model(x)
    assert [event.path for event in recording.trace if event.parent == -1 and event.phase == "pre"] == ["", "layers", ""]


@pytest.mark.dotnet
def test_a_root_call_belongs_to_the_context_of_the_recording(
    rows: tuple[Rows, bridge.Mirror], observed: list[torch.nn.Module]
) -> None:
    """C-9: contexts that inherit it are recorded, others are not, nor is a call after the end; Python is not entered."""
    model, x = rows[1], torch.ones(1, 2)
    model(x)
    with dotnet.record(model) as recording:
        context = contextvars.copy_context()
        context.run(model, x)
        assert observed == []
        thread = threading.Thread(target=model, args=(x,))
        thread.start()
        thread.join()
        contextvars.Context().run(model, x)
    context.run(model, x)
    assert recording.trace.calls == 9


@pytest.mark.dotnet
def test_a_pre_hook_that_calls_a_module_makes_no_bypass(recorded: Callable[[str], bridge.Mirror]) -> None:
    """C-3: the forward that runs after it is the call's own."""
    model = recorded("Prepared")
    with dotnet.record(model) as recording:
        model(torch.ones(2))
    assert recording.trace.bypassed == ()
    assert recording.trace.calls == 3


@pytest.mark.dotnet
def test_a_module_outside_of_the_tree_is_recorded_without_its_defaults(
    recorded: Callable[[str], bridge.Mirror],
) -> None:
    """P-1: as Python would call it, whether a C# hook is on it or not; Python sees neither module."""
    model = recorded("Makes")
    with dotnet.record(model) as recording:
        model(torch.ones(2))
    assert [len(event.values) for event in recording.trace if event.phase == "pre"] == [1, 1, 1, 2]


def test_a_forward_run_by_hand_shows_what_it_calls(dotnet_host: object, x: torch.Tensor) -> None:
    """C-3: the children's calls are roots; a built-in's forward is PyTorch's, so one run by hand is not seen, as in PyTorch."""
    model = _pnet(sample("Mtcnn.dll"), PNet())
    with dotnet.record(model) as recording:
        model.forward(x)
        model.conv1.forward(x)
    assert recording.trace.calls == 10
    assert {event.parent for event in recording.trace} == {-1}
    assert recording.trace.bypassed == ()


def test_a_tree_without_mirrors_is_refused(dotnet_host: object) -> None:
    with pytest.raises(TypeError, match="no module of .* is a .NET module"), dotnet.record(PNet()):
        pass


@pytest.mark.cuda
def test_equal_traces_on_cuda(dotnet_host: object, x: torch.Tensor) -> None:
    original = PNet().cuda()
    model = _pnet(sample("Mtcnn.dll"), original).cuda()
    result = _diff(original, model, x.cuda())
    assert result.same, result.explain()
    assert result.b[0].values[0].device == "cuda:0"


@pytest.mark.cuda
@pytest.mark.filterwarnings("ignore:Synchronization debug mode is a prototype:UserWarning")
@torch.no_grad()
def test_a_structural_trace_waits_for_no_device(dotnet_host: object, x: torch.Tensor) -> None:
    model = _pnet(sample("Mtcnn.dll"), PNet()).cuda()
    given = x.cuda()
    model(given)
    torch.cuda.set_sync_debug_mode("error")
    try:
        with dotnet.record(model) as recording:
            model(given)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert recording.trace.calls == 11


ELSEWHERE = """
using System.Globalization;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Elsewhere;

public sealed class Net : Module<Tensor, Tensor>
{
    private readonly TorchSharp.Modules.Threshold child = Threshold(-1.5, -2);

    public Net() : base(nameof(Net)) => RegisterComponents();

    public override Tensor forward(Tensor x) => child.call(x.narrow(-1, 0, 2)).sub(1).view(-1);
}

/// <summary>The culture of this thread: one where -1.5 is written otherwise, or the invariant one.</summary>
public sealed class Culture : Module<Tensor, Tensor>
{
    private readonly bool other;

    public Culture(bool other) : base(nameof(Culture)) => this.other = other;

    public override Tensor forward(Tensor x)
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        if (other) (culture.NumberFormat.NegativeSign, culture.NumberFormat.NumberDecimalSeparator) = ("\\u2212", ",");
        CultureInfo.CurrentCulture = culture;
        return x;
    }
}

public sealed class Wrong : Module<Tensor, Tensor>
{
    public Wrong() : base(nameof(Wrong)) { }

    public override Tensor forward(Tensor x) => tensor(new float[] { 1, 2, 3 }, new long[] { -1, 2 });
}
"""


def test_the_culture_of_the_program_is_not_seen(build_csharp: Build, tmp_path: Path) -> None:
    """Neither in a trace, nor in its file, nor in a message."""
    built = build_csharp({"Elsewhere.cs": ELSEWHERE}, "Elsewhere")
    found: list[tuple[object, ...]] = []
    try:
        for other in (False, True):
            bridge.load(built, "Elsewhere.Culture", other)(torch.ones(1))
            model = bridge.load(built, "Elsewhere.Net")
            file = tmp_path / f"{other}.jsonl"
            with dotnet.record(model, file=file) as recording:
                model(torch.tensor([[-3.0, 2.0, 4.0]]))
            with pytest.raises(bridge.DotNetError) as caught:
                bridge.load(built, "Elsewhere.Wrong")(torch.ones(1))
            found.append((list(recording.trace), file.read_bytes(), caught.value.dotnet_message))
    finally:
        bridge.load(built, "Elsewhere.Culture", False)(torch.ones(1))
    assert found[0] == found[1]
    assert "fill the shape [-1, 2]" in str(found[1][2])
