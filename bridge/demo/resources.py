"""The picture of the demo, and the pretrained networks in PyTorch and in C#."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from bridge.demo.errors import DemoError
from bridge.demo.requirements import describe, find_missing
from bridge.samples.errors import WeightsNotFound
from bridge.samples.mtcnn import Nets, pretrained

ASSEMBLY = "Mtcnn.dll"
TYPES = ("Mtcnn.PNet", "Mtcnn.RNet", "Mtcnn.ONet")


@dataclass(frozen=True, slots=True, eq=False)
class Resources:
    """The picture (uint8 [512, 512, 3]), the networks in both runtimes on a device, and the path of the C# assembly."""

    picture: np.ndarray
    pytorch: Nets
    dotnet: Nets
    assembly: Path
    device: str = "cpu"


def load_resources(device: str = "cpu") -> Resources:
    """Load the picture and the networks, and copy PyTorch's weights to C#. Raises DemoError if a requirement is missing or unusable."""
    if missing := find_missing():
        raise DemoError(f"these requirements are missing:\n{describe(missing)}")
    picture = astronaut()
    try:
        pytorch = pretrained()
    except WeightsNotFound as error:
        raise DemoError(str(error)) from error
    assembly = _start_dotnet()
    dotnet = _dotnet_nets(assembly, pytorch)
    for net in (*pytorch, *dotnet):
        net.to(device)
    return Resources(picture, pytorch, dotnet, assembly, device)


def astronaut() -> np.ndarray:
    """Return scikit-image's picture of Eileen Collins (NASA, public domain), uint8 [512, 512, 3] RGB."""
    try:
        import_module("PIL")  # draw_faces needs PIL after the run, so fail before the run
        pictures = import_module("skimage.data")
    except ImportError as error:
        raise DemoError(
            f"the demo's picture needs the package {error.name or error}. "
            "Install it with: python -m pip install scikit-image pillow"
        ) from error
    return np.asarray(pictures.astronaut(), dtype=np.uint8)


def _start_dotnet() -> Path:
    """Start .NET and return the path of the assembly with the C# networks."""
    from bridge import clr
    from bridge.clr.find.assemblies import sample

    try:
        assembly = sample(ASSEMBLY)
        clr.start()
    except (clr.AssembliesNotFound, clr.DotNetNotFound, clr.StartError) as error:
        raise DemoError(str(error)) from error
    return assembly


def _dotnet_nets(assembly: Path, pytorch: Nets) -> Nets:
    """Load the three C# networks with PyTorch's weights, in eval mode."""
    import bridge

    nets = Nets(*(bridge.load(assembly, type_name) for type_name in TYPES))
    for net, original in zip(nets, pytorch, strict=True):
        net.load_state_dict(original.state_dict(), strict=True)
        net.eval()
    return nets
