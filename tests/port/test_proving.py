"""proving.py, and the whole way: models are written as C#, built, and run beside their originals."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from bridge.compare.inputs import Inputs
from bridge.port.making import made
from bridge.port.porting import write
from bridge.port.project import namespace_of, write_project
from bridge.port.proving import judge
from bridge.samples import lenet, mtcnn, resnet

pytestmark = pytest.mark.sdk
FACADE = Path(__file__).parents[1] / "facade" / "models"


def rand(*shape: int) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(5))


def facade(file: str, name: str, *arguments: Any) -> Callable[[], nn.Module]:
    """A model of tests/facade."""
    return lambda: runpy.run_path(str(FACADE / f"{file}.py"))[name](*arguments)


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[torch.Tensor, ...]]] = {
    "LeNet": (lenet.LeNet, (rand(1, 1, 28, 28),)),
    "ResNet18": (resnet.ResNet18, (rand(1, 3, 64, 64),)),
    "ONet": (mtcnn.ONet, (rand(1, 3, 48, 48),)),
    "ConvNet": (facade("conv_net", "ConvNet", 4, 5), (rand(3, 1, 12, 12),)),
    "Vae": (facade("vae", "Vae", 12, 8, 3), (rand(4, 3, 4),)),
    "Experts": (facade("experts", "Experts", 6, 4), (rand(2, 3, 6),)),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_port_is_the_same_as_its_original_at_several_shapes(name: str, tmp_path: Path) -> None:
    factory, inputs = MODELS[name]
    torch.manual_seed(0)
    model, given = made(factory)
    arguments = Inputs(inputs).bind(model.eval())
    folder = tmp_path / f"Ported{name}"
    port = write(model, given, arguments, namespace_of(folder))
    assert port.left == ()
    write_project(folder, port, model, arguments, name)
    found = judge(
        model, folder / f"{folder.name}.csproj", f"{folder.name}.{port.root}", arguments, seed=0, step=lambda _: None
    )
    assert [(shape, one.verdict) for shape, one in found if not one.same or one.largest] == []
    assert len(found) >= 2, "a second batch size must have been tried"
