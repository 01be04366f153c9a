"""The ``.csproj`` of a port, and the packages that it refers to."""

from __future__ import annotations

from typing import Final

from bridge.port.project.rendering import render

#: The versions of the packages that a port refers to. A port uses nothing but public members of TorchSharp.
TORCHSHARP: Final = "0.107.0"
BRIDGE: Final = "0.1.0"
#: The file with the operators of the PyTorch version that wrote the port; Bridge.Torch needs it in a process without Python.
SCHEMAS: Final = "schemas.txt"
_PACKAGES: Final = {"torchsharp": ("TorchSharp-cpu", TORCHSHARP), "bridge": ("Bridge.Torch", BRIDGE)}


def render_project(runtime: str, namespace: str) -> str:
    """Return the ``.csproj`` for classes in a namespace, with the package of ``runtime``: ``torchsharp`` or ``bridge``."""
    package, version = _PACKAGES[runtime]
    copied = ["weights.dat", *([SCHEMAS] if runtime == "bridge" else [])]
    return render("project.csproj", namespace=namespace, package=package, version=version, copied=copied)
