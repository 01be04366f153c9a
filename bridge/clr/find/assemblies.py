"""The folder of our compiled assemblies: the one that BRIDGE_ASSEMBLIES names, a checkout's build output, or ``bridge/_dotnet``.

In a checkout, the build output in ``dotnet/artifacts/bridge`` is preferred to the copies in ``bridge/_dotnet``, so that the last build is
used. An incomplete build output is skipped.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bridge.errors import BridgeError

#: The assemblies that models on Bridge.Torch, and hook programs, need in Python's process.
LIBRARIES: Final = (
    "Bridge.Hooks.dll",
    "Bridge.Torch.dll",
    "TorchSharp.dll",
    "Bridge.Interop.dll",
    "Bridge.Conformance.dll",
)
#: Those that every start loads, each after those that it needs.
LOADED: Final = ("Bridge.Hooks.dll", "Bridge.Torch.dll", "Bridge.Interop.dll")
#: The models of the demo and the tests.
SAMPLES: Final = ("Mtcnn.dll", "Vision.dll")
#: .NET's names of machines, by Python's.
_MACHINES: Final = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
VARIABLE: Final = "BRIDGE_ASSEMBLIES"

_PACKAGE: Final = Path(__file__).resolve().parents[2]
_BUILD: Final = "python tools/sdk.py build"


class AssembliesNotFound(BridgeError, RuntimeError):
    """Assemblies of this package are missing. The message names the folder."""


def missing(folder: Path) -> tuple[str, ...]:
    """Return those of ``LIBRARIES`` and ``SAMPLES`` that ``folder`` lacks."""
    return tuple(name for name in (*LIBRARIES, *SAMPLES) if not (folder / name).is_file())


def folder(environ: Mapping[str, str] = os.environ, *, package: Path = _PACKAGE) -> tuple[Path, str]:
    """Return the folder of our assemblies, and its kind: ``BRIDGE_ASSEMBLIES``, ``checkout build`` or ``package``.

    ``package`` is the folder of the Python package. Symbolic links in the path are resolved, since .NET would load an assembly twice if it
    had two paths. Raises AssembliesNotFound when no folder is complete, or when BRIDGE_ASSEMBLIES names an incomplete one.
    """
    setting = environ.get(VARIABLE, "").strip()
    if setting:
        if lacking := missing(Path(setting)):
            raise AssembliesNotFound(
                f"{VARIABLE} is set to {setting}, but {_lacks(Path(setting), lacking)}.\nUnset {VARIABLE}."
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


def images(directory: Path, version: str) -> Path:
    """Return the folder from which to load the assemblies of ``LOADED`` for a version of .NET's runtime.

    It is a subfolder of ``directory`` with the assemblies compiled ahead of time (ReadyToRun) for this system and the version's major
    number: a start takes half as long with them. It is ``directory`` itself, with assemblies for every system, if there is no such
    subfolder, or if its files were compiled from others than those in ``directory``.
    """
    machine = platform.machine().lower()
    place = directory / f"{sys.platform}-{_MACHINES.get(machine, machine)}-net{version.partition('.')[0]}"
    try:
        current = all(_build(place / name) == _build(directory / name) for name in LOADED)
    except OSError:
        return directory
    return place if current else directory


def _build(assembly: Path) -> bytes:
    """Return the four bytes that identify an assembly's build: the COFF header's time stamp, a hash of what was compiled."""
    with assembly.open("rb") as file:
        head = file.read(1024)
    coff = int.from_bytes(head[0x3C:0x40], "little") + 4
    return head[coff + 4 : coff + 8]


def sample(name: str) -> Path:
    """Return the path of an assembly with sample models, such as ``Mtcnn.dll``.

    Raises AssembliesNotFound when the assembly does not exist, and as :func:`folder` does.
    """
    directory, source = folder()
    path = directory / name
    if not path.is_file():
        build = f"\nBuild the samples: {_BUILD}" if source == "checkout build" else ""
        raise AssembliesNotFound(
            f"there is no sample {name} in {directory} ({source}); available: {', '.join(SAMPLES)}.{build}"
        )
    return path


def _lacks(directory: Path, names: tuple[str, ...]) -> str:
    return f"the folder lacks {', '.join(names)}" if directory.is_dir() else "the folder does not exist"
