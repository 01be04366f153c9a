"""What the demo needs: picture, weights and .NET nets, all looked for before anything is printed or computed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from bridge.demo.needs import missing, said
from bridge.errors import BridgeError
from bridge.samples.errors import WeightsNotFound
from bridge.samples.mtcnn import Nets, pretrained

ASSEMBLY = "Mtcnn.dll"
TYPES = ("Mtcnn.PNet", "Mtcnn.RNet", "Mtcnn.ONet")


class CannotRun(BridgeError, RuntimeError):
    """The demo cannot run here: the message says what is missing and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Everything the demo runs on: the picture uint8 [512, 512, 3], the same nets in two runtimes, the assembly."""

    picture: np.ndarray
    pytorch: Nets
    dotnet: Nets
    assembly: Path


def gather() -> Parts:
    """Looks for all parts, loads the C# nets and copies the pretrained weights into them. Raises CannotRun, for all that is missing at
    once."""
    if lacking := missing():
        raise CannotRun(f"it lacks\n{said(lacking)}")
    picture = astronaut()
    try:
        pytorch = pretrained()
    except WeightsNotFound as error:
        raise CannotRun(str(error)) from error
    assembly = _started()
    return Parts(picture, pytorch, _dotnet_nets(assembly, pytorch), assembly)


def astronaut() -> np.ndarray:
    """The picture that scikit-image carries: Eileen Collins (NASA, public domain), uint8 [512, 512, 3] RGB."""
    try:
        import_module("PIL")  # draws the result later; if it is missing, fail before the run
        pictures = import_module("skimage.data")
    except ImportError as error:
        raise CannotRun(
            f"the demo's picture needs the package {error.name or error}. "
            "Install what it needs with: python -m pip install scikit-image pillow"
        ) from error
    return np.asarray(pictures.astronaut(), dtype=np.uint8)


def _started() -> Path:
    """Starts .NET, and gives the compiled C# nets."""
    from bridge import clr
    from bridge.clr.find.assemblies import sample

    try:
        assembly = sample(ASSEMBLY)
        clr.start()
    except (clr.AssembliesNotFound, clr.DotNetNotFound, clr.StartError) as error:
        raise CannotRun(str(error)) from error
    return assembly


def _dotnet_nets(assembly: Path, pytorch: Nets) -> Nets:
    """The three C# nets as mirrors in eval mode, with the weights of the PyTorch ones."""
    import bridge

    nets = Nets(*(bridge.load(assembly, type_name) for type_name in TYPES))
    for net, original in zip(nets, pytorch, strict=True):
        net.load_state_dict(original.state_dict(), strict=True)
        net.eval()
    return nets
