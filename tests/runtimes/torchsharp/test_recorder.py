"""Models in the process of TorchSharp are recorded and compared: in a process of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner

import bridge
from bridge.cli import main
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs

pytestmark = pytest.mark.dotnet

SOURCES = Path(__file__).parents[2] / "torchsharp" / "process" / "Models.cs"
ORIGINAL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.act, self.fc2 = nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))
"""


@pytest.fixture
def models(build_csharp: Callable[..., Path], torchsharp: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRIDGE_TORCHSHARP", str(torchsharp))
    return build_csharp([SOURCES], "HostModelsTorchSharp", against=[torchsharp])


def load(path: Path, name: str) -> Any:
    return bridge.load(path, f"Models.{name}", runtime="torchsharp")


@torch.no_grad()
def test_calls_are_recorded_with_the_elements_of_each_event(models: Path) -> None:
    model, x = load(models, "Net"), torch.randn(3, 4)
    with bridge.record(model, values="full") as recording:
        result = model(x)
        model(x * 2)
    trace = recording.trace
    assert trace.runtime == "torchsharp"
    assert [(event.path, event.type, event.phase, event.call, event.parent) for event in trace][:8] == [
        ("", "Net", "pre", 0, -1),
        ("fc1", "Linear", "pre", 1, 0),
        ("fc1", "Linear", "forward", 1, 0),
        ("act", "ReLU", "pre", 2, 0),
        ("act", "ReLU", "forward", 2, 0),
        ("fc2", "Linear", "pre", 3, 0),
        ("fc2", "Linear", "forward", 3, 0),
        ("", "Net", "forward", 0, -1),
    ]
    assert [event.call for event in trace][8:] == [4, 5, 5, 6, 6, 7, 7, 4]
    assert np.array_equal(trace[0].values[0].data, x.numpy())
    assert np.array_equal(trace[7].values[0].data, result.numpy())
    assert np.array_equal(trace[4].values[0].data, trace[3].values[0].data.clip(0))
    assert trace.header is not None
    assert trace.header.runtime_version == "TorchSharp 0.107.0, libtorch 2.10.0.0, own process"
    with bridge.record({"a": model}, values="none") as recording:
        model(x)
    assert [event.path for event in recording.trace][:2] == ["a", "a.fc1"]
    assert recording.trace[0].values[0].data is None


@torch.no_grad()
def test_what_is_overwritten_later_is_recorded_as_it_was(models: Path) -> None:
    """As ``ReLU(inplace: true)`` does. TorchSharp's tensor that is detached, brought to the CPU or made contiguous shares its memory."""
    model = load(models, "Overwriting")
    with bridge.record(model, values="full") as recording:
        result = model(torch.ones(3))
    assert result.tolist() == [0, 0, 0]
    assert [event.values[0].data.tolist() for event in recording.trace] == [[1, 1, 1]] * 3 + [[0, 0, 0]]


@torch.no_grad()
def test_a_scope_of_the_model_ends_nothing_that_is_recorded(models: Path) -> None:
    """Rule 87: what is made while a model's scope is open ends with it, whoever made it."""
    model = load(models, "Scoped")
    with bridge.record(model, values="full") as recording:
        model(torch.tensor([-1.0, 2.0]))
    assert [event.values[0].data.tolist() for event in recording.trace] == [[-1, 2]] * 2 + [[0, 2]] * 2


@torch.no_grad()
def test_a_call_that_raises_leaves_what_came_before(models: Path) -> None:
    """As in Python's own process: the arguments of each call that did not return, and no result."""
    model, x = load(models, "Failing"), torch.tensor([-1.0, 2.0])
    with bridge.record(model, values="full") as recording:
        with pytest.raises(RuntimeError, match="not today"):
            model(x)
        with pytest.raises(TypeError):
            model()
        with pytest.raises(RuntimeError, match="not today"):
            model(x)
    assert [(event.path, event.phase, event.call, event.parent) for event in recording.trace] == [
        (path, phase, first + call, first + parent if parent >= 0 else -1)
        for first in (0, 3)
        for path, phase, call, parent in (
            ("", "pre", 0, -1),
            ("act", "pre", 1, 0),
            ("act", "forward", 1, 0),
            ("doing", "pre", 2, 0),
        )
    ]
    assert recording.trace[3].values[0].data.tolist() == [0, 2]


@torch.no_grad()
def test_what_is_called_after_an_exception_was_caught_is_the_catchers(models: Path) -> None:
    with bridge.record(model := load(models, "Catching"), values="none") as recording:
        model(torch.tensor([-1.0, 2.0]))
    assert [f"{event.phase} {event.path} {event.parent}" for event in recording.trace][-4:] == [
        "pre failing.doing 1",
        "pre act 0",
        "forward act 0",
        "forward  -1",
    ]


@torch.no_grad()
def test_the_original_leaves_the_same_trace(models: Path) -> None:
    model, x = load(models, "Net"), torch.randn(3, 4)
    scope: dict[str, Any] = {}
    exec(ORIGINAL, scope)
    original = scope["Net"]()
    original.load_state_dict(model.state_dict())
    with bridge.record(original, values="full") as expected:
        original(x)
    with bridge.record(model, values="full") as found:
        model(x)
    difference = bridge.diff(expected.trace, found.trace, rtol=1e-5, atol=1e-6)
    assert difference.same, difference.explain()


def test_buffers_that_torchsharp_never_lists_are_named_and_no_difference(models: Path) -> None:
    """TS-23."""

    class Rotating(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("kept", torch.ones(3))
            self.register_buffer("angles", torch.ones(3), persistent=False)
            self.act = torch.nn.ReLU()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.act(x)

    found = compare(Rotating(), load(models, "Rotating"), Inputs((torch.randn(2, 3),)))
    assert found.same
    assert found.uncompared.buffers == ("angles",)
    assert found.verdict.endswith("largest difference 0, 1 buffer not compared (TS-23).")
    assert found.explain() == "angles was not compared: TorchSharp lists only persistent buffers (TS-23)."
    other = Rotating()
    other.register_buffer("more", torch.ones(3))
    assert not compare(other, load(models, "Rotating"), Inputs((torch.randn(2, 3),))).same


def test_other_modules_are_refused(models: Path) -> None:
    from bridge.runtimes.torchsharp import recorder

    model = load(models, "Net")
    with (
        pytest.raises(TypeError, match="record it in a separate bridge.record"),
        recorder.record(torch.nn.Linear(1, 1)),
    ):
        pass
    with bridge.record(model), pytest.raises(RuntimeError, match="one recording at a time"), bridge.record(model):
        pass


def test_the_commands_run_it(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "remote_original.py").write_text(ORIGINAL, encoding="utf-8")
    there = ["--dotnet", f"{models}:Models.Net", "--dotnet-runtime", "torchsharp", "--shape", "3,4"]
    python = ["--python", "remote_original:Net", "--weights", "dotnet"]
    done = CliRunner().invoke(main, ["compare", *python, *there, "--rtol", "1e-5", "--atol", "1e-6"])
    assert done.exit_code == 0, done.output
    assert "Same: 4 equal module calls" in done.output
    done = CliRunner().invoke(main, ["compare", *python, *there, "--backward"])
    assert done.exit_code == 2
    assert "returns no gradients" in done.output
    done = CliRunner().invoke(main, ["trace", *there, "-o", "there.jsonl"])
    assert done.exit_code == 0, done.output
    assert bridge.read_trace(tmp_path / "there.jsonl").runtime == "torchsharp"
    done = CliRunner().invoke(main, ["trace", *there[:2], "--dotnet-runtime", "other", "-o", "there.jsonl"])
    assert done.exit_code == 2
    assert "dotnet, torchsharp or torchsharp-in-process" in done.output
    done = CliRunner().invoke(main, ["compare", *python, *there[:2], *there[4:], "--dotnet-runtime", "torchsharp:none"])
    assert done.exit_code == 2
    assert "there is no TorchSharp.dll in none" in done.output


RECORDED = """
using System.Globalization;
using Bridge.TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

public sealed class Scaled : Module<Tensor, int, Tensor>
{
    private readonly ReLU act = ReLU();

    public Scaled() : base(nameof(Scaled)) => RegisterComponents();

    public override Tensor forward(Tensor x, int scale) => act.call(x);
}

/// <summary>A program that records twice, the second time where -1 and 1.5 are written otherwise.</summary>
public sealed class Program : Module<Tensor, Tensor>
{
    private readonly string[] files;

    public Program(string[] files) : base(nameof(Program)) => this.files = files;

    public override Tensor forward(Tensor x)
    {
        var before = CultureInfo.CurrentCulture;
        var other = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        (other.NumberFormat.NegativeSign, other.NumberFormat.NumberDecimalSeparator) = ("\\u2212", ",");
        foreach (var file in files)
        {
            var model = new Scaled();
            using (HookTrace.Record(model, file, TraceValues.Full)) model.call(x, -5);
            CultureInfo.CurrentCulture = other;
        }

        CultureInfo.CurrentCulture = before;
        return x;
    }
}
"""


@torch.no_grad()
def test_a_program_under_another_culture_records_the_same_trace(
    build_csharp: Callable[..., Path], recorder: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In sv-SE, nb-NO, fi-FI, fa-IR and 92 other cultures -1 is not written with the sign of ASCII."""
    monkeypatch.setenv("BRIDGE_TORCHSHARP", str(recorder[0]))
    program = build_csharp({"Recorded.cs": RECORDED}, "RecordedElsewhere", against=recorder)
    plain, other = (str(tmp_path / f"{name}.jsonl") for name in ("plain", "other"))
    bridge.load(program, "Models.Program", [plain, other], runtime="torchsharp")(torch.tensor([-1.5, 2.0]))
    done = CliRunner().invoke(main, ["diff", plain, other])
    assert (done.exit_code, done.stderr) == (0, "")
    assert Path(plain).read_bytes() == Path(other).read_bytes()
