"""Models as TorchSharp users write them, compiled against TorchSharp's signatures, beside their PyTorch originals.

Each source in models/ is compiled twice into one assembly: as it is, and with every ``call`` written as ``forward``.
"""

from __future__ import annotations

import copy
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.compare.result import Comparison
from bridge.compare.run import one_thread
from bridge.runtimes.recording import leaves

pytestmark = pytest.mark.dotnet
SOURCES = Path(__file__).parent / "models"


def ids(*shape: int) -> torch.Tensor:
    """Return token ids."""
    return torch.randint(0, 11, shape, generator=torch.Generator().manual_seed(2))


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(3))


@dataclass(frozen=True)
class Model:
    """A class of models/, in C# and in Python; ``inputs`` of one run; ``bypassed`` are the children that it runs by forward itself."""

    name: str
    original: str
    arguments: tuple[Any, ...]
    inputs: Callable[[], tuple[Any, ...]]
    bypassed: tuple[str, ...] = ()

    def make(self) -> nn.Module:
        """Make the PyTorch original."""
        made: nn.Module = runpy.run_path(str(SOURCES / f"{self.original}.py"))[self.name](*self.arguments)
        return made


def cached() -> tuple[Any, ...]:
    """Return a token, and the keys and values of three earlier tokens by block."""
    cache = drawn(4, 2, 2, 3, 4).unbind(0)
    return ids(2, 1), [(cache[0], cache[1]), (cache[2], cache[3])]


MODELS = (
    Model("ConvNet", "conv_net", (4, 5), lambda: (drawn(3, 1, 12, 12),), bypassed=("features",)),
    Model("Detector", "detector", (), lambda: (drawn(2, 3, 5, 4),)),
    Model("Experts", "experts", (6, 4), lambda: (drawn(2, 3, 6),)),
    Model("MultiTask", "multi_task", (4, 6, 3), lambda: (drawn(5, 4),)),
    Model("Tagger", "tagger", (11, 6, 5, 4), lambda: (ids(3, 7),)),
    Model("TextEncoder", "text_encoder", (11, 8, 2, 16, 2), lambda: (ids(5, 3), nn.Transformer.generate_square_subsequent_mask(5))),
    Model("UNet", "u_net", (3, 2), lambda: (drawn(2, 3, 13, 14),)),
    Model("Gpt", "gpt", (11, 16, 2, 2, 8), lambda: (ids(2, 5), None)),
    Model("Gpt", "gpt", (11, 16, 2, 2, 8), cached),
    Model("Llama", "llama", (11, 8, 4, 2), lambda: (ids(2, 6),)),
    Model("Vae", "vae", (12, 8, 3), lambda: (drawn(4, 3, 4),)),
    Model("Seq2Seq", "seq2seq", (11, 6), lambda: (ids(2, 5), ids(2, 4), torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]).bool())),
    Model("Regressor", "regressor", (), lambda: (drawn(7, 6),)),
)  # fmt: skip
EACH = pytest.mark.parametrize("model", MODELS, ids=[f"{model.name}{number}" for number, model in enumerate(MODELS)])


@pytest.fixture(scope="module")
def library(build_csharp: Callable[..., Path], reference: Path) -> Path:
    """Return the assembly of models/, in the namespaces Models and Forwarding."""
    sources = {}
    for path in sorted(SOURCES.glob("*.cs")):
        text = path.read_text(encoding="utf-8")
        sources[path.name] = text
        other = text.replace(".call(", ".forward(").replace("namespace Models;", "namespace Forwarding;")
        sources[f"Forwarding{path.name}"] = other
    return build_csharp(sources, "FacadeModels", against=[reference])


@pytest.fixture(params=["call", "forward"])
def pair(request: pytest.FixtureRequest, library: Path) -> Callable[[Model], tuple[bridge.Mirror, nn.Module]]:
    """Return the model, or its variant with forward and forward_fires, and its original, made from one seed."""

    def make(model: Model) -> tuple[bridge.Mirror, nn.Module]:
        fires = request.param == "forward" or bool(model.bypassed)
        space = "Forwarding" if request.param == "forward" else "Models"
        torch.manual_seed(1)
        ours = bridge.load(library, f"{space}.{model.name}", *model.arguments, forward_fires=fires)
        torch.manual_seed(1)
        return ours, model.make()

    return make


def run(model: Model, original: nn.Module, ours: bridge.Mirror, **options: Any) -> Comparison:
    return compare(original, ours, Inputs(model.inputs()), **options)


@EACH
def test_both_begin_with_the_same_values(model: Model, pair: Callable[..., Any]) -> None:
    ours, original = pair(model)
    mine, theirs = ours.state_dict(), original.state_dict()
    assert list(mine) == list(theirs)
    for key in theirs:
        assert torch.equal(mine[key], theirs[key]), key
    for walk in ("named_modules", "named_children", "named_parameters", "named_buffers"):
        assert [name for name, _ in getattr(ours, walk)()] == [name for name, _ in getattr(original, walk)()], walk


@EACH
@pytest.mark.parametrize("train", [False, True], ids=["eval", "train"])
def test_compare_finds_no_difference(model: Model, train: bool, pair: Callable[..., Any]) -> None:
    """Events in order, values, buffers; in training, dropout and gradients too."""
    ours, original = pair(model)
    found = run(model, original, ours, train=train, backward=train)
    assert found.same, found.explain()
    assert found.largest == 0
    assert [event.path for event in found.dotnet.trace] == [event.path for event in found.pytorch.trace]
    assert not train or found.dotnet.gradients


@EACH
def test_hooks_fire_from_python(model: Model, pair: Callable[..., Any]) -> None:
    """Those of the forward and of the backward pass, with equal gradients."""
    logs: list[list[tuple[str, str]]] = []
    flows: list[list[torch.Tensor]] = []
    for made in pair(model):
        log: list[tuple[str, str]] = []
        flow: list[torch.Tensor] = []
        for path, module in made.named_modules():
            module.register_forward_pre_hook(lambda *_, path=path, log=log: log.append(("pre", path)))
            module.register_forward_hook(lambda *_, path=path, log=log: log.append(("forward", path)))

            def backward(_: Any, given: Any, taken: Any, path: str = path, log: Any = log, flow: Any = flow) -> None:
                log.append(("backward", path))
                flow += [value for value in (*given, *taken) if value is not None]

            if type(module).__name__ == "Linear":
                module.register_full_backward_hook(backward)
        given = [
            tensor.requires_grad_() if isinstance(tensor, torch.Tensor) and tensor.is_floating_point() else tensor
            for tensor in model.inputs()
        ]
        results = leaves(made.eval()(*given))
        torch.autograd.backward([result.square().sum() for result in results if result.requires_grad])
        logs.append(log)
        flows.append(flow)
    assert logs[0] == logs[1]
    assert all(map(torch.equal, flows[0], flows[1]))


@EACH
def test_what_a_hook_changes_is_what_the_model_goes_on_with(model: Model, pair: Callable[..., Any]) -> None:
    results = []
    for made in pair(model):
        for module in made.eval().modules():
            if type(module).__name__ == "Linear":
                module.register_forward_hook(lambda module, args, result: result * 0.5)
        results.append(leaves(made(*model.inputs())))
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))


@EACH
def test_weights_are_loaded_from_the_original(model: Model, pair: Callable[..., Any]) -> None:
    ours, original = pair(model)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in original.parameters():
            parameter.uniform_(-0.5, 0.5, generator=generator)
    assert ours.load_state_dict(original.state_dict()) == ([], [])
    found = run(model, original, ours)
    assert found.same, found.explain()


def test_a_module_of_pytorchs_takes_the_place_of_a_child(pair: Callable[..., Any]) -> None:
    """Also where TorchSharp's type nests the results otherwise."""
    model = next(model for model in MODELS if model.name == "Tagger")
    ours, original = pair(model)
    ours.eval().lstm = original.eval().lstm
    assert all(map(torch.equal, leaves(ours(*model.inputs())), leaves(original(*model.inputs()))))


def test_compare_says_what_is_run_by_forward_and_when_the_option_would_help(library: Path) -> None:
    net = MODELS[0]
    torch.manual_seed(1)
    ours = bridge.load(library, "Models.ConvNet", *net.arguments)
    torch.manual_seed(1)
    found = run(net, net.make(), ours)
    assert not found.same
    assert found.diff.bypassed == net.bypassed
    assert "features" in found.explain()
    assert "--forward-fires" in found.explain()


@pytest.mark.parametrize("space", ["Models", "Forwarding"])
def test_a_loop_in_csharp_trains_to_pytorchs_bits(space: str, library: Path) -> None:
    """Adam with weight decay, clipped gradients and a scheduler, on data drawn from torch's generator; then training goes on in Python."""
    fit = runpy.run_path(str(SOURCES / "regressor.py"))["fit"]
    trained: list[nn.Module] = []
    with one_thread():
        for make in (partial(bridge.load, library, f"{space}.Training.Fit"), fit):
            torch.manual_seed(1)
            model = make(5, 3)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            optimizer.zero_grad()
            model(drawn(4, 6)).square().mean().backward()
            optimizer.step()
            trained.append(model)
    ours, theirs = (model.state_dict() for model in trained)
    assert list(ours) == list(theirs)
    assert [key for key in theirs if not torch.equal(ours[key], theirs[key])] == []


@EACH
def test_a_copy_is_a_model_of_its_own(model: Model, pair: Callable[..., Any]) -> None:
    ours, original = pair(model)
    copied = copy.deepcopy(ours)
    given = ours.state_dict()
    assert all(
        torch.equal(value, given[key]) and value.data_ptr() != given[key].data_ptr()
        for key, value in copied.state_dict().items()
    )
    assert [name for name, _ in copied.named_parameters()] == [name for name, _ in original.named_parameters()]
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.fill_(0.25)
    found = run(model, original, copied)
    assert found.same, found.explain()
