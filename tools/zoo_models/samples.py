"""The project's own samples, and the nets of MTCNN from the package that they were written after: random weights, small inputs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Final

import torch

from bridge.compare.io.inputs import Inputs
from pytorch_tools import environment
from zoo_models import torchvision

_PACKAGE: Final = "facenet-pytorch==2.6.0"
#: The module, the class, and the size of the pictures, with their channels.
_MODELS: Final[dict[str, tuple[str, str, tuple[int, int]]]] = {
    "samples_lenet": ("bridge.samples.lenet", "LeNet", (1, 28)),
    "samples_resnet18": ("bridge.samples.resnet", "ResNet18", (3, 64)),
    "samples_pnet": ("bridge.samples.mtcnn", "PNet", (3, 12)),
    "samples_rnet": ("bridge.samples.mtcnn", "RNet", (3, 24)),
    "samples_onet": ("bridge.samples.mtcnn", "ONet", (3, 48)),
    "facenet_pnet": ("facenet_pytorch.models.mtcnn", "PNet", (3, 12)),
    "facenet_rnet": ("facenet_pytorch.models.mtcnn", "RNet", (3, 24)),
    "facenet_onet": ("facenet_pytorch.models.mtcnn", "ONet", (3, 48)),
}

#: By the word that stands for them: their names.
SETS: Final[dict[str, Callable[[], Sequence[str]]]] = {"samples": lambda: tuple(_MODELS)}


def importable() -> None:
    """Make facenet-pytorch's nets importable, downloaded once, without running its download of weights."""
    torchvision.importable()
    if "facenet_pytorch" not in sys.modules:
        package = ModuleType("facenet_pytorch")
        package.__path__ = [str(environment.folder(_PACKAGE) / "facenet_pytorch")]
        sys.modules["facenet_pytorch"] = package


def model(name: str) -> tuple[Callable[[], torch.nn.Module], Inputs]:
    """Return the model's factory and its inputs."""
    importable()
    module, kind, (channels, size) = _MODELS[name]
    options = {"pretrained": False} if name.startswith("facenet_") else {}

    def make() -> torch.nn.Module:
        made = getattr(import_module(module), kind)(**options)
        assert isinstance(made, torch.nn.Module)
        return made

    return make, Inputs((torch.rand(1, channels, size, size, generator=torch.Generator().manual_seed(0)),))
