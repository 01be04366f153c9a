"""The folder of our compiled assemblies: that of BRIDGE_ASSEMBLIES, a checkout's build, or the package's own.

The build of a checkout (``dotnet/artifacts/bridge``) is preferred to the generated copies in ``bridge/_dotnet``, so
that the last build runs during development; an incomplete build is skipped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bridge.errors import BridgeError

#: The assemblies that Python loads, and their references.
LIBRARIES: Final = (
    "Bridge.Hooks.dll",
    "Bridge.Torch.dll",
    "TorchSharp.dll",
    "Bridge.Interop.dll",
    "Bridge.Conformance.dll",
)
#: The models of the demo and the tests.
SAMPLES: Final = ("Mtcnn.dll", "Vision.dll")
VARIABLE: Final = "BRIDGE_ASSEMBLIES"

_PACKAGE: Final = Path(__file__).resolve().parents[2]
_BUILD: Final = "python tools/sdk.py build"


class AssembliesNotFound(BridgeError, RuntimeError):
    """Some of our assemblies are missing. The message names them and their folder; its last line says what to do."""


def missing(folder: Path) -> tuple[str, ...]:
    """Return the names of our assemblies that ``folder`` lacks."""
    return tuple(name for name in (*LIBRARIES, *SAMPLES) if not (folder / name).is_file())


def folder(environ: Mapping[str, str] = os.environ, *, package: Path = _PACKAGE) -> tuple[Path, str]:
    """Return the folder of our assemblies, and its kind: ``BRIDGE_ASSEMBLIES``, ``checkout build`` or ``package``.

    Links are resolved, as in every path of an assembly: .NET would load the assemblies again under another name of the folder.
    ``package`` is the folder of the Python package. Raises AssembliesNotFound when no folder is complete, or when
    BRIDGE_ASSEMBLIES names an incomplete one.
    """
    setting = environ.get(VARIABLE, "").strip()
    if setting:
        if lacking := missing(Path(setting)):
            raise AssembliesNotFound(
                f"{VARIABLE} is set to {setting}, but {_lacks(Path(setting), lacking)}.\nUnset it."
            )
        return Path(setting).resolve(), VARIABLE
    checkout = package.parent
    built, shipped = checkout / "dotnet" / "artifacts" / "bridge", package / "_dotnet"
    in_checkout = (checkout / "dotnet" / "global.json").is_file()
    if in_checkout and not missing(built):
        return built.resolve(), "checkout build"
    lacking = missing(shipped)
    if not lacking:
        return shipped.resolve(), "package"
    problem = f"{shipped}: {_lacks(shipped, lacking)}"
    if in_checkout:
        raise AssembliesNotFound(
            f"our compiled assemblies are incomplete. {built}: {_lacks(built, missing(built))}. {problem}.\n"
            f"Build them (this needs the .NET 10 SDK): {_BUILD}"
        )
    raise AssembliesNotFound(
        f"our compiled assemblies are incomplete. {problem}.\nInstall torchsharp-bridge again, "
        f"or set {VARIABLE} to a folder that holds them."
    )


def sample(name: str) -> Path:
    """Return the path of a sample's assembly, such as ``Mtcnn.dll``. Raises AssembliesNotFound when it does not exist."""
    place, source = folder()
    path = place / name
    if not path.is_file():
        available = ", ".join(sorted(entry.name for entry in place.glob("*.dll")))
        build = f"\nBuild the samples: {_BUILD}" if source == "checkout build" else ""
        raise AssembliesNotFound(f"there is no sample {name} in {place} ({source}); available: {available}.{build}")
    return path


def _lacks(place: Path, names: tuple[str, ...]) -> str:
    return f"it lacks {', '.join(names)}" if place.is_dir() else "there is no such folder"
