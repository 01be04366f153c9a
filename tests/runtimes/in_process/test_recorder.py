"""Models on TorchSharp in this process are recorded and compared as PyTorch's modules are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

import bridge
from bridge.cli import main
from bridge.clr import DotNetInterrupt
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.runtimes.errors import UnsupportedTreeError
from bridge.runtimes.in_process.programs import InProcessWorld
from bridge.runtimes.pytorch.world import TorchWorld
from bridge.testing import assert_same_model
from bridge.torchsharp.process.library_search import VARIABLE
from bridge.trace import Trace
from hook_contract.program import corpus
from hook_contract.runtimes.errors import Interrupt

pytestmark = [pytest.mark.dotnet, pytest.mark.inprocess]

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


@pytest.fixture(autouse=True)
def on_torchsharp(torchsharp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(torchsharp))


@pytest.fixture
def models(build_csharp: Callable[..., Path], torchsharp: Path) -> Path:
    return build_csharp([SOURCES], "HostModelsTorchSharp", against=[torchsharp])


def load(path: Path, name: str) -> Any:
    return bridge.load(path, f"Models.{name}", runtime="torchsharp-in-process")


def original() -> Any:
    scope: dict[str, Any] = {}
    exec(ORIGINAL, scope)
    return scope["Net"]()


def events(trace: Trace) -> list[tuple[Any, ...]]:
    """Return what the events have, without the types of modules."""
    return [
        (event.path, event.phase, event.call, event.parent, *((value.kind, value.digest) for value in event.values))
        for event in trace
    ]


def test_the_original_leaves_the_same_trace(models: Path) -> None:
    """The same state_dict in both directions, the same events and the same elements."""
    model, python, x = load(models, "Net"), original(), torch.randn(3, 4)
    for source, target in ((python, model), (model, python)):
        torch.nn.init.normal_(source.fc1.weight)
        target.load_state_dict(source.state_dict())
        traces = []
        for each in (python, model):
            with bridge.record(each, values="full") as recording:
                each(x)
            traces.append(recording.trace)
        assert events(traces[0]) == events(traces[1])
        assert [event.type for event in traces[0]] == [event.type for event in traces[1]]
        assert bridge.diff(*traces).same
    assert [trace.runtime for trace in traces] == ["pytorch", "torchsharp-in-process"]
    assert traces[1].header is not None
    assert traces[1].header.runtime_version == "TorchSharp 0.107.0"


def test_native_modules_have_pytorchs_names(models: Path) -> None:
    """The state_dict loads in both directions. Hooks on a part, which TorchSharp would not run, are refused (TS-8)."""
    model, python, x = load(models, "Encoding").eval(), torch.nn.Module(), torch.randn(3, 2, 4)
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8)
    python.encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    for source, target in ((python, model), (model, python)):
        torch.nn.init.normal_(source.get_parameter("encoder.layers.1.linear1.weight"))
        target.load_state_dict(source.state_dict())
        assert torch.allclose(model(x), python.encoder(x), atol=1e-6)
    with pytest.raises(NotImplementedError, match="as a part of another one"):
        model.get_submodule("encoder.layers.0.self_attn").register_forward_hook(print)


def test_a_model_of_pytorch_around_it_is_recorded_too(models: Path) -> None:
    outer = torch.nn.Sequential(torch.nn.Identity(), load(models, "Net"))
    with bridge.record(outer) as recording:
        outer(torch.randn(3, 4))
    assert [f"{event.phase} {event.path} {event.parent}" for event in recording.trace][2:5] == [
        "forward 0 0",
        "pre 1 0",
        "pre 1.fc1 2",
    ]


@pytest.mark.parametrize("name", ["Failing", "Catching"])
def test_a_call_that_raises_has_no_result(models: Path, name: str) -> None:
    """Calls after an exception that C# caught belong to the catcher."""
    model, x = load(models, name), torch.tensor([-1.0, 2.0])
    with bridge.record(model) as recording:
        if name == "Failing":
            with pytest.raises(bridge.DotNetError, match="not today"):
                model(x)
        else:
            model(x)
    found = [f"{event.phase} {event.path} {event.parent}" for event in recording.trace]
    if name == "Failing":
        assert found == ["pre  -1", "pre act 0", "forward act 0", "pre doing 0"]
    else:
        assert found[-4:] == ["pre failing.doing 1", "pre act 0", "forward act 0", "forward  -1"]


class Run:
    """The run of no program: events of modules are dropped."""

    def __init__(self, world: TorchWorld) -> None:
        self.world = world

    def entered(self, module: Any, args: Any, kwargs: Any) -> None: ...

    def register(self, registration: Any) -> None: ...


def trees() -> Iterator[dict[str, Any]]:
    """Return the trees of the corpus that C#'s modules can have and that take one argument."""
    texts = {json.dumps(program.tree) for program in corpus()}
    for text in sorted(texts):
        if not any(f'"{kind}"' in text for kind in ("attention", "encoder", "inputs", "sequential")):
            yield json.loads(text)


@pytest.mark.parametrize("form", ["typed", "object"])
def test_every_tree_of_the_corpus_leaves_pytorchs_events(form: str) -> None:
    compared = 0
    for tree in trees():
        found = []
        for world in (TorchWorld(), InProcessWorld(form, "cpu")):
            try:
                model = world.build(Run(world), tree)
            except UnsupportedTreeError:
                break
            with bridge.record(model, values="digest") as recording, suppress(Exception, Interrupt, DotNetInterrupt):
                model(torch.tensor([3.0], dtype=torch.float64))
            found.append(events(recording.trace))
        if len(found) == 2:
            assert found[0] == found[1], tree
            compared += 1
    assert compared > 70


def test_models_are_compared_with_their_gradients(models: Path) -> None:
    model, python = load(models, "Net"), original()
    assert_same_model(python, model, torch.randn(3, 4), backward=True)
    with torch.no_grad():
        python.fc2.weight.add_(1)
    found = compare(python, model, Inputs((torch.randn(3, 4),)), backward=True)
    assert not found.same
    assert "torchsharp-in-process" in found.verdict


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


def test_the_commands_run_it(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in_process_original.py").write_text(ORIGINAL, encoding="utf-8")
    there = ["--dotnet", f"{models}:Models.Net", "--dotnet-runtime", "torchsharp-in-process", "--shape", "3,4"]
    python = ["--python", "in_process_original:Net"]
    done = CliRunner().invoke(main, ["compare", *python, *there, "--backward"])
    assert done.exit_code == 0, done.output
    assert "Same: 4 equal module calls on each side" in done.output
    done = CliRunner().invoke(main, ["trace", *there, "-o", "there.jsonl"])
    assert done.exit_code == 0, done.output
    assert bridge.read_trace(tmp_path / "there.jsonl").runtime == "torchsharp-in-process"
