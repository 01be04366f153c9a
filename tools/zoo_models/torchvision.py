"""torchvision's models: a model of each classification family, all builders, and segmentation; random weights, small pictures."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import torch

from bridge.compare.io.inputs import Inputs
from pytorch_tools import environment
from pytorch_tools.torchvision_stub import without_torchvision_operators

#: A model of each family.
FAMILIES = (
    "alexnet", "convnext_tiny", "densenet121", "efficientnet_b0", "efficientnet_v2_s", "googlenet", "inception_v3", "maxvit_t",
    "mnasnet0_5", "mobilenet_v2", "mobilenet_v3_small", "regnet_y_400mf", "resnet18", "resnext50_32x4d", "shufflenet_v2_x0_5",
    "squeezenet1_0", "swin_t", "swin_v2_t", "vgg11_bn", "vit_b_16", "wide_resnet50_2",
)  # fmt: skip
SEGMENTATION = (
    "deeplabv3_mobilenet_v3_large", "deeplabv3_resnet50", "deeplabv3_resnet101", "fcn_resnet50", "fcn_resnet101",
    "lraspp_mobilenet_v3_large",
)  # fmt: skip
#: The size of the pictures, by how the name begins: the smallest that the model takes. inception_v3's second result needs 299.
_SIZES = {"alexnet": 96, "inception_v3": 299, "maxvit_t": 224, "squeezenet": 96, "vit": 224}
_SIZE = 64


def builders() -> tuple[str, ...]:
    """Return all classification models that torchvision.models lists."""
    models = import_module("torchvision.models")
    return tuple(models.list_models(module=models))


#: By the word that stands for them: their names.
SETS: Final[dict[str, Callable[[], Sequence[str]]]] = {
    "families": lambda: FAMILIES,
    "builders": builders,
    "segmentation": lambda: SEGMENTATION,
}


def importable() -> None:
    """Import the pinned ``torchvision``, downloaded from PyPI once."""
    where = str(environment.folder("torchvision"))
    if where not in sys.path:
        sys.path.append(where)
    without_torchvision_operators()
    import_module("torchvision")


def model(name: str) -> tuple[Callable[[], torch.nn.Module], Inputs]:
    """Return the model's factory and its inputs."""
    importable()
    models = import_module("torchvision.models")
    options: dict[str, Any] = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    if name in SEGMENTATION:
        options["weights_backbone"] = None

    def make() -> torch.nn.Module:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = models.get_model(name, **options)
        assert isinstance(made, torch.nn.Module)
        return made

    size = next((size for start, size in _SIZES.items() if name.startswith(start)), _SIZE)
    return make, Inputs((torch.rand(1, 3, size, size, generator=torch.Generator().manual_seed(0)),))
