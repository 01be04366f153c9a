"""Pretrained MTCNN weights, from three data files of the PyPI distribution facenet-pytorch 2.6.0 (MIT license).

The package is never imported, since its code needs an older torch and torchvision than this project.
"""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import torch
from torch import Tensor

from bridge.samples.errors import WeightsNotFound

DISTRIBUTION = "facenet-pytorch"
VERSION = "2.6.0"
NAMES = ("pnet", "rnet", "onet")

_FIX = f"Install it with: python -m pip install --no-deps {DISTRIBUTION}=={VERSION}"


def locate(name: str) -> Path:
    """Return the path of a net's weight file. Raises ValueError for an unknown name, WeightsNotFound if the file is missing."""
    if name not in NAMES:
        raise ValueError(f"there are no weights for {name!r}: choose from {', '.join(NAMES)}")
    try:
        distribution = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        raise WeightsNotFound(
            f"the pretrained weights of {name} are missing: distribution {DISTRIBUTION} is not installed. {_FIX}"
        ) from None
    path = Path(str(distribution.locate_file(f"facenet_pytorch/data/{name}.pt")))
    if not path.is_file():
        raise WeightsNotFound(
            f"{DISTRIBUTION} {distribution.version} is installed, but its file data/{name}.pt is missing. "
            f"{_FIX.replace('install ', 'install --force-reinstall ')}"
        )
    return path


def load(name: str) -> dict[str, Tensor]:
    """Load the state dict of a net, float32 on the CPU. Raises the exceptions of `locate`, and WeightsNotFound for a damaged file."""
    path = locate(name)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # for a damaged file, torch raises exceptions of many types (pickle, zip, end of file …)
        # torch's own message recommends weights_only=False, which would run code of a damaged file.
        raise WeightsNotFound(
            f"the weight file {path.name} of {DISTRIBUTION} cannot be read ({type(error).__name__}). "
            f"{_FIX.replace('install ', 'install --force-reinstall ')}"
        ) from error
    return dict(state)
