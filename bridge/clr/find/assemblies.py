"""Where our own compiled assemblies are: the folder of BRIDGE_ASSEMBLIES, a checkout's build, or the package's own.

A checkout that was built (``dotnet/artifacts/bridge``) is preferred to the generated copies in ``bridge/_dotnet``, so
that day-to-day work runs what was just compiled; an incomplete build is skipped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

#: What Python loads, and what that needs beside it.
LIBRARIES: Final = (
    "Bridge.Hooks.dll",
    "Bridge.Torch.dll",
    "TorchSharp.dll",
    "Bridge.Interop.dll",
    "Bridge.Conformance.dll",
)
#: Models that the demo and the tests run.
SAMPLES: Final = ("Mtcnn.dll", "Vision.dll")
VARIABLE: Final = "BRIDGE_ASSEMBLIES"

_PACKAGE: Final = Path(__file__).resolve().parents[2]
_BUILD: Final = "python tools/sdk.py build"


class AssembliesNotFound(RuntimeError):
    """Our assemblies, or one of them, are missing; the message says which and where; its last line is the fix."""


def missing(folder: Path) -> tuple[str, ...]:
    """The names of our assemblies that ``folder`` lacks; empty when it is complete."""
    return tuple(name for name in (*LIBRARIES, *SAMPLES) if not (folder / name).is_file())


def folder(environ: Mapping[str, str] = os.environ, *, package: Path = _PACKAGE) -> tuple[Path, str]:
    """The folder to load our assemblies from, and what it is: ``BRIDGE_ASSEMBLIES``, ``checkout build`` or ``package``.

    Links are followed, as in every path of an assembly: another name of the folder would be another copy of what is in it.
    ``package`` is the folder of the Python package. Raises AssembliesNotFound when no folder is complete, or when
    BRIDGE_ASSEMBLIES names one that is not.
    """
    asked = environ.get(VARIABLE, "").strip()
    if asked:
        lacking = missing(Path(asked))
        if lacking:
            raise AssembliesNotFound(f"{VARIABLE} is set to {asked}, but {_lacks(Path(asked), lacking)}.\nUnset it.")
        return Path(asked).resolve(), VARIABLE
    checkout = package.parent
    built, shipped = checkout / "dotnet" / "artifacts" / "bridge", package / "_dotnet"
    in_checkout = (checkout / "dotnet" / "global.json").is_file()
    if in_checkout and not missing(built):
        return built.resolve(), "checkout build"
    lacking = missing(shipped)
    if not lacking:
        return shipped.resolve(), "package"
    tried = f"{shipped}: {_lacks(shipped, lacking)}"
    if in_checkout:
        raise AssembliesNotFound(
            f"our compiled assemblies are incomplete. {built}: {_lacks(built, missing(built))}. {tried}.\n"
            f"Build them (this needs the .NET 10 SDK): {_BUILD}"
        )
    raise AssembliesNotFound(
        f"our compiled assemblies are incomplete. {tried}.\nInstall torchsharp-bridge again, "
        f"or set {VARIABLE} to a folder that holds them."
    )


def sample(name: str) -> Path:
    """The path of a sample's assembly, such as ``Mtcnn.dll``. Raises AssembliesNotFound when it is not there."""
    place, source = folder()
    path = place / name
    if not path.is_file():
        there = ", ".join(sorted(entry.name for entry in place.glob("*.dll")))
        build = f"\nBuild the samples: {_BUILD}" if source == "checkout build" else ""
        raise AssembliesNotFound(f"there is no sample {name} in {place} ({source}); available: {there}.{build}")
    return path


def _lacks(place: Path, names: tuple[str, ...]) -> str:
    return f"it lacks {', '.join(names)}" if place.is_dir() else "there is no such folder"
