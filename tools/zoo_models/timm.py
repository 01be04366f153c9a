"""Architectures of timm, one of each family: random weights, small pictures."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import torch
from pytorch_tools import environment

from zoo_models import torchvision

#: What importing timm needs; none of it requires a torch of its own.
_PACKAGES = (
    "timm==1.0.31", "huggingface_hub", "PyYAML", "tqdm", "httpx", "httpx2", "httpcore", "httpcore2", "h11", "anyio", "certifi",
    "idna", "typer", "shellingham", "annotated-doc", "annotated-types", "truststore", "hf-xet", "typing-inspection",
)  # fmt: skip
#: An architecture of each family, and the size of its pictures where it is not _SIZE.
_MODELS: Final[dict[str, int]] = {
    "convmixer_768_32": 0, "convnext_atto": 0, "cspresnet50": 0, "deit_tiny_patch16_224": 32, "densenet121": 0, "dla34": 0,
    "edgenext_xx_small": 0, "efficientnet_b0": 0, "ghostnet_050": 0, "hardcorenas_a": 0, "inception_v3": 299, "levit_128s": 224,
    "mixer_s32_224": 64, "mnasnet_050": 0, "mobilenetv3_small_050": 0, "poolformer_s12": 0, "pvt_v2_b0": 0, "regnetx_002": 0,
    "repvgg_a0": 0, "res2net50_14w_8s": 0, "resmlp_12_224": 32, "resnet18": 0, "selecsls42": 0, "vgg11": 0, "xception41": 0,
}  # fmt: skip
_SIZE = 64
#: The size of the pictures is an argument of these, which else take 224 alone.
_SIZED = ("deit_", "mixer_", "resmlp_")

#: By the word that stands for them: their names. The prefix keeps them apart from torchvision's.
SETS: Final[dict[str, Callable[[], Sequence[str]]]] = {"timm": lambda: tuple(f"timm_{name}" for name in _MODELS)}


def importable() -> None:
    """Make the pinned ``timm`` importable, downloaded from PyPI once, with torchvision. No hub is contacted."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    torchvision.importable()
    where = str(environment.folder(*_PACKAGES))
    if where not in sys.path:
        sys.path.append(where)


def model(name: str) -> tuple[Callable[[], torch.nn.Module], tuple[torch.Tensor, ...]]:
    """Return the model's factory and its inputs."""
    timm, plain = import_module("timm"), name.removeprefix("timm_")
    size = _MODELS[plain] or _SIZE
    options: dict[str, Any] = {"img_size": size} if plain.startswith(_SIZED) else {}

    def make() -> torch.nn.Module:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = timm.create_model(plain, **options)
        assert isinstance(made, torch.nn.Module)
        return made

    return make, (torch.rand(1, 3, size, size, generator=torch.Generator().manual_seed(0)),)
