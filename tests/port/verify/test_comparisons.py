"""comparisons.py, and the whole way: models are written as C#, built, and run beside their originals."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from bridge.compare.io.inputs import Inputs
from bridge.compare.models.targets import PythonTarget
from bridge.port.making import made
from bridge.port.porting import Port, given_alone, write
from bridge.port.project import namespace_of, write_project
from bridge.port.verify.comparisons import judge, new_port
from bridge.port.verify.trials import run_trials
from bridge.samples import lenet, mtcnn, resnet
from tests.port import attending, everyday, styles, test_graph, test_signatures

pytestmark = pytest.mark.dotnet
FACADE = Path(__file__).parents[2] / "facade" / "models"


def rand(*shape: int) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(5))


def facade(file: str, name: str, *arguments: Any) -> Callable[[], nn.Module]:
    """Return a model of tests/facade."""
    return lambda: runpy.run_path(str(FACADE / f"{file}.py"))[name](*arguments)


class Mixed(nn.Module):
    """A transformer's conventions, and classes that are written from their graph."""

    def __init__(self) -> None:
        super().__init__()
        self.attending, self.pair = test_signatures.Outer(), test_graph.Pair()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pair(self.attending(x))


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[torch.Tensor, ...]]] = {
    "LeNet": (lenet.LeNet, (rand(1, 1, 28, 28),)),
    "ResNet18": (resnet.ResNet18, (rand(1, 3, 64, 64),)),
    "ONet": (mtcnn.ONet, (rand(1, 3, 48, 48),)),
    "ConvNet": (facade("conv_net", "ConvNet", 4, 5), (rand(3, 1, 12, 12),)),
    "Vae": (facade("vae", "Vae", 12, 8, 3), (rand(4, 3, 4),)),
    "Experts": (facade("experts", "Experts", 6, 4), (rand(2, 3, 6),)),
    "Mixed": (Mixed, (rand(2, 3, 8),)),
    "Skips": (styles.Skips, (rand(1, 3, 8, 8),)),
    "Tied": (styles.Tied, (torch.tensor([[1, 2, 10, 4]]),)),
    "Biases": (styles.Biases, (rand(2, 6, 6),)),
    "Padded": (attending.Padded, (torch.tensor([[5, 3, 2, 6], [4, 2, 0, 0]]),)),
    "Causal": (attending.Causal, (rand(2, 5, 8),)),
    "Layers": (attending.Layers, (rand(2, 5, 8), rand(2, 3, 8))),
    "Whole": (attending.Whole, (rand(2, 5, 8), rand(2, 3, 8))),
    "Scales": (attending.Scales, (rand(2, 4), torch.tensor([1, 3]))),
    "Generating": (everyday.Generating, (torch.tensor([[1, 19, 3], [4, 5, 6]]),)),
    "Chosen": (everyday.Chosen, (rand(2, 3, 8),)),
    "Detecting": (everyday.Detecting, (rand(1, 3, 8, 8),)),
    "Turning": (everyday.Turning, (rand(2, 3, 8),)),
    "Spectral": (everyday.Spectral, (rand(4, 2, 16), torch.tensor([0, 1, 0, 1]))),
    "Tuned": (everyday.Tuned, (rand(2, 4),)),
    "Recurrent": (styles.Recurrent, (rand(2, 5, 4),)),
}
#: The model whose port is built by its project; the others are compiled together.
FIRST = "LeNet"

Written = dict[str, tuple[Path, nn.Module, Port, dict[str, Any]]]

#: Gradients of a bias of queries, keys and values together: PyTorch's operators sum them in another order.
_ROUNDED = ("Causal", "Layers", "Whole")


def ported(name: str, folder: Path) -> tuple[nn.Module, Port, dict[str, Any]]:
    """Return a model, its port, written to ``folder``, and its inputs."""
    factory, inputs = MODELS[name]
    torch.manual_seed(0)
    model, given = made(factory)
    arguments = Inputs(inputs).bind(model.eval())
    port = write(model, given, arguments, namespace_of(folder))
    assert port.left == ()
    write_project(folder, port, model, arguments, PythonTarget("nets", name))
    return model, port, arguments


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Return the folder of each model's port, and the result of :func:`ported`."""
    folders = {name: tmp_path_factory.mktemp("ports") / f"Ported{name}" for name in MODELS}
    return {name: (folder, *ported(name, folder)) for name, folder in folders.items()}


@pytest.fixture(scope="module")
def sources(written: Written) -> dict[str, str]:
    """Return the C# of all models, each in its own namespace, without the programs."""
    files = [(name, file) for name, (folder, *_) in written.items() for file in sorted(folder.glob("*.cs"))]
    return {f"{name}{file.name}": file.read_text() for name, file in files if file.name != "Program.cs"}


@pytest.mark.parametrize(
    "name", [pytest.param(FIRST, marks=pytest.mark.sdk), *(name for name in MODELS if name != FIRST)]
)
def test_a_port_is_the_same_as_its_original_at_several_shapes(
    name: str, written: Written, sources: dict[str, str], build_csharp: Callable[..., Path]
) -> None:
    """Compare ports in eval and train mode, with buffers and gradients. The largest models are slow tests.

    One original caches values and cannot run backward twice. All projects but the first are equal but for names, so one is built for all.
    """
    folder, model, port, arguments = written[name]
    built = folder / f"{folder.name}.csproj" if name == FIRST else build_csharp(sources, "AllPorts")
    root = f"{port.namespace}.{port.root}"
    both: dict[str, Any] = {} if name in ("ResNet18", "Biases") else {"modes": (False, True), "backward": True}
    found = judge(model, built, root, arguments, seed=0, step=lambda _: None, **both)
    if name in _ROUNDED:
        assert [(shape, one.verdict) for shape, one in found if not one.same or one.largest > 1e-6] == []
        found += judge(model, built, root, arguments, seed=0, step=lambda _: None)
    exact = [one for one in found if "gradient" not in one[1].verdict or name not in _ROUNDED]
    assert [(shape, one.verdict) for shape, one in exact if not one.same or one.largest] == []
    assert sum(not shape.endswith("train mode") for shape, _ in found) >= 2, "a second batch size must have been tried"
    if both:
        assert sum(shape.endswith("train mode") for shape, _ in found) >= 2
        assert any("gradient" in one.verdict for _, one in found)


@pytest.mark.parametrize("name", [name for name in MODELS if name != FIRST])
def test_a_port_is_the_same_as_its_original_for_drawn_inputs(
    name: str, written: Written, sources: dict[str, str], build_csharp: Callable[..., Path]
) -> None:
    """Issue 43, 'Sound or said': more than the given inputs is tried."""
    _, model, port, arguments = written[name]
    make = partial(new_port, model, build_csharp(sources, "AllPorts"), f"{port.namespace}.{port.root}")
    found = run_trials(model, make, given_alone(model, arguments), seed=0, seconds=600, limit=40)
    assert found.difference == "", str(found)
    assert found.accepted >= 5


def test_the_projects_of_ports_are_the_same_but_for_their_names(written: Written) -> None:
    texts = {
        (folder / f"{folder.name}.csproj").read_text().replace(folder.name, "PortedLeNet")
        for folder, *_ in written.values()
    }
    assert len(texts) == 1


def test_ports_compile_against_torchsharps_own_signatures_without_a_warning(
    written: Written, sources: dict[str, str], build_csharp: Callable[..., Path], reference: Path
) -> None:
    """Build with nullable enabled; the sources are not changed."""
    programs: dict[str, str] = {}
    for name, (folder, *_) in written.items():
        # A program of its own for each model: as a method, for an assembly has one.
        using, program = (folder / "Program.cs").read_text().split("\n\n", 1)
        programs[f"{name}Program.cs"] = f"{using}\nclass Run{name} {{ static void Main{name}() {{\n{program}\n}} }}"
    assert build_csharp(sources | programs, "Ports", against=[reference], strict=True).is_file()
