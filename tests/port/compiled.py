"""Models whose ports are written, compiled as one assembly, and run beside their originals: by port's own judge, and by the checker."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from bridge.compare.io.inputs import Inputs
from bridge.compare.models.targets import PythonTarget
from bridge.port.forwards.constructors import constructors
from bridge.port.observe.models.construction import construct
from bridge.port.porting import Port, write
from bridge.port.project.folder import name_namespace, write_project
from bridge.samples import lenet, mtcnn, resnet
from tests.port import attending, everyday, styles
from tests.port.graphs import test_record
from tests.port.porting import test_signatures

FACADE = Path(__file__).parents[1] / "facade" / "models"


def rand(*shape: int) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(5))


def facade(file: str, name: str, *arguments: Any) -> Callable[[], nn.Module]:
    """Return a model of tests/facade."""
    return lambda: runpy.run_path(str(FACADE / f"{file}.py"))[name](*arguments)


class Mixed(nn.Module):
    """A transformer's conventions, and classes that are written from their graph."""

    def __init__(self) -> None:
        super().__init__()
        self.attending, self.pair = test_signatures.Outer(), test_record.Pair()

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


def ported(name: str, folder: Path) -> tuple[nn.Module, Port, dict[str, Any]]:
    """Return a model, its port, written to ``folder``, and its inputs."""
    factory, inputs = MODELS[name]
    torch.manual_seed(0)
    model, given = construct(factory, constructors)
    arguments = Inputs(inputs).bind(model.eval())
    port = write(model, given, arguments, name_namespace(folder))
    assert port.left == ()
    write_project(folder, port, model, arguments, PythonTarget("nets", name))
    return model, port, arguments


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Return the folder of each model's port, and the result of :func:`ported`."""
    folders = {name: tmp_path_factory.mktemp("ports") / f"Ported{name}" for name in MODELS}
    return {name: (folder, *ported(name, folder)) for name, folder in folders.items()}


@pytest.fixture(scope="session")
def sources(written: Written) -> dict[str, str]:
    """Return the C# of all models, each in its own namespace, without the programs."""
    files = [(name, file) for name, (folder, *_) in written.items() for file in sorted(folder.glob("*.cs"))]
    return {f"{name}{file.name}": file.read_text(encoding="utf-8") for name, file in files if file.name != "Program.cs"}
