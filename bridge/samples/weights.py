"""Pretrained MTCNN weights: three files inside the PyPI distribution facenet-pytorch 2.6.0 (MIT licence).

Only its data files are read. The distribution is located through its metadata and never imported: its code wants an
older torch and torchvision than this project runs on.
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
    """Path of the weight file of one net: 'pnet', 'rnet' or 'onet'.

    Raises ValueError for another name, WeightsNotFound when the distribution or the file is missing.
    """
    if name not in NAMES:
        raise ValueError(f"no weights are known for {name!r}: choose from {', '.join(NAMES)}")
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
    """The state dict of one net, float32 on the CPU. Raises as `locate`, and WeightsNotFound for a damaged file."""
    path = locate(name)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged file fails in torch with many types (pickle, zip, end of file …)
        # torch's own message advises weights_only=False, which would run code from a damaged file: it is omitted here.
        raise WeightsNotFound(
            f"the weight file {path.name} of {DISTRIBUTION} cannot be read ({type(error).__name__}). "
            f"{_FIX.replace('install ', 'install --force-reinstall ')}"
        ) from error
    return dict(state)
