"""The search for the TorchSharp.dll on which a model runs, in a separate process or in this one.

If the argument ``runtime`` (``"torchsharp:FOLDER"``) or else ``BRIDGE_TORCHSHARP`` names a file or folder, nothing else is searched.
Otherwise the model's folder is searched, then NuGet's cache. In the cache, the version that the model was compiled for comes first, then
newer versions before older ones. C# describes each file (``LibraryFile.cs``), since a file may be a reference assembly, or this package's
TorchSharp.dll, whose types are those of Bridge.Torch. The first file that can run models is used.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bridge.clr.find.installation import in_home, version_key
from bridge.clr.start.libraries import file_name
from bridge.torchsharp.process.errors import TorchSharpNotFound
from bridge.torchsharp.process.requests import TorchSharpProcess

VARIABLE: Final = "BRIDGE_TORCHSHARP"
ASSEMBLY: Final = "TorchSharp.dll"
#: The ``place`` of a file that was found in the FOLDER of ``runtime="torchsharp:FOLDER"``.
_REQUESTED: Final = "requested"
_NATIVE: Final = file_name("LibTorchSharp")
_LIBTORCH: Final = file_name("torch_cpu")
#: .NET's name of this Python's system and processor, such as ``win-x64``. sysconfig knows which of two processors Python is made for.
SYSTEM: Final = "-".join(
    (
        {"win32": "win", "darwin": "osx"}.get(sys.platform, "linux"),
        "arm64"
        if (sysconfig.get_platform().endswith(("arm64", "aarch64")) or platform.machine() == "arm64")
        else "x64",
    )
)
#: The folder of the native libraries for this system in a NuGet package.
FOLDER: Final = Path("runtimes", SYSTEM, "native")
#: The environment variable with the folders in which the system searches for libraries.
_LOADER: Final = {"win32": "PATH", "darwin": "DYLD_LIBRARY_PATH"}.get(sys.platform, "LD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file that was found in the search for TorchSharp.dll.

    Attributes:
        path: The file's path.
        place: The name of the place where the file was found.
        title: C#'s description of the file, for messages.
        kind: The file's ``LibraryKind`` in C#, as text.
        runs: Whether models can run on the file.
    """

    path: Path
    place: str
    title: str
    kind: str
    runs: bool


def candidates(
    model: Path | None, asked: Path | None, environ: Mapping[str, str] = os.environ, version: str = ""
) -> Iterator[tuple[str, Path]]:
    """Yield the name of the place and the path of each TorchSharp.dll, in order of preference.

    ``model`` is the model's assembly, and ``asked`` is the file or folder that ``runtime`` names; each may be None. ``version`` is the
    preferred version in NuGet's cache.

    Raises TorchSharpNotFound if the place that ``asked`` or BRIDGE_TORCHSHARP names has no TorchSharp.dll.
    """
    for source, place in ((_REQUESTED, asked), (VARIABLE, _configured_path(environ))):
        if place is not None:
            file = _find_assembly(place)
            if file is None:
                raise TorchSharpNotFound(f"there is no {ASSEMBLY} in {place} ({source})")
            yield source, file
            return
    if model is not None and (model.parent / ASSEMBLY).is_file():
        yield "the model's folder", model.parent / ASSEMBLY
    packages = Path(environ.get("NUGET_PACKAGES", "").strip() or in_home(".nuget/packages"), "torchsharp")
    versions = [folder for folder in packages.glob("*") if folder.is_dir()]
    versions.sort(key=lambda folder: (folder.name == version, version_key(folder.name)), reverse=True)
    for folder in versions:
        file = _find_assembly(folder)
        if file is not None:
            yield "NuGet's cache", file


def search(
    host: TorchSharpProcess,
    model: Path | None,
    asked: Path | None,
    environ: Mapping[str, str] = os.environ,
    version: str = "",
) -> list[LibraryFile]:
    """Return all candidates with their descriptions, in order of preference. The arguments after ``host`` are those of :func:`candidates`.

    Raises the exceptions of :func:`candidates` and :meth:`TorchSharpProcess.ask`.
    """
    places = list(candidates(model, asked, environ, version))
    described = host.ask("describe", files=[str(path) for _, path in places])["files"]
    return [
        LibraryFile(path, place, file["title"], file["kind"], file["runs"])
        for (place, path), file in zip(places, described, strict=True)
    ]


def choose_library(found: Sequence[LibraryFile], model: Path | None = None) -> LibraryFile:
    """Return the first file that can run models. Raises TorchSharpNotFound, with a list of all files, if there is none.

    ``found`` and ``model`` are the result and the argument of :func:`search`.
    """
    for file in found:
        if file.runs:
            return file
    looked = "".join(f"\n{file.path} ({file.place}) is {file.title}" for file in found)
    is_named = any(file.place in (_REQUESTED, VARIABLE) for file in found)
    beside = "" if model is None else " in the model's folder, nor"
    places = "" if is_named else f": neither by {VARIABLE}, nor{beside} in NuGet's cache"
    purpose = "" if model is None else " to run the model on"
    otherwise = "" if model is None else ", or omit the argument runtime to run the model on Bridge.Torch"
    raise TorchSharpNotFound(
        f"no TorchSharp was found{purpose}{places}. Set {VARIABLE} to a folder that has {ASSEMBLY}{otherwise}.{looked}"
    )


def native_libraries(assembly: Path) -> list[str]:
    """Return the libraries to load before TorchSharp is used, in order: libtorch_cpu, libtorch (if found), TorchSharp's own library.

    Returns [] if TorchSharp's own library is missing, and that library alone if libtorch_cpu is not found. libtorch is taken from
    TorchSharp's folder, else from NuGet's cache if TorchSharp.dll lies in the folder of a package, else from this Python's torch.
    """
    own, folders = _native(assembly)
    if own is None:
        return []
    if (libtorch := _find_file(_LIBTORCH, folders)) is None:
        return [str(own)]
    # TorchSharp's own library also depends on ``libtorch``, and would search for it only in TorchSharp's folder.
    whole = _find_file(libtorch.name.replace("torch_cpu", "torch"), [libtorch.parent, *folders])
    return [str(path) for path in (libtorch, whole, own) if path is not None]


def own_library(assembly: Path) -> Path | None:
    """Return TorchSharp's own native library; None if it is missing."""
    return _native(assembly)[0]


def loader_path(assembly: Path, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variable LD_LIBRARY_PATH for a process that runs TorchSharp; {} unless libtorch is split into several packages.

    The libraries in the packages depend on each other. Linux reads the variable only when a process starts. On Windows the variable is
    PATH, and on macOS DYLD_LIBRARY_PATH.
    """
    folders = [str(folder) for folder in _native(assembly)[1]]
    return {_LOADER: os.pathsep.join(filter(None, [*folders, environ.get(_LOADER, "")]))} if len(folders) > 1 else {}


def _native(assembly: Path) -> tuple[Path | None, tuple[Path, ...]]:
    """Return TorchSharp's own native library, and the folders of its libtorch, which may be split into several NuGet packages.

    Returns None and () if the library is missing. The folders are () if no libtorch is found.
    """
    package = _package_of(assembly)
    beside = (assembly.parent, assembly.parent / FOLDER)
    own = _find_file(_NATIVE, [*beside, *([package / FOLDER] if package else [])])
    if own is None:
        return None, ()
    ours = python_libtorch()
    places = [*((folder,) for folder in (own.parent, *beside)), *(_libtorch_packages(package) if package else ())]
    found = (folders for folders in places if _find_file(_LIBTORCH, folders) is not None)
    return own, next(found, () if ours is None else (ours.parent,))


def _libtorch_packages(torchsharp: Path) -> list[tuple[Path, ...]]:
    """Return the folders of each libtorch in NuGet's cache, in order of preference.

    A package such as ``torchsharp-cpu`` requires a version of libtorch. If the package has the version of this TorchSharp, the libtorch
    that it requires comes first. The others follow, newest first. Of each version, the CPU build comes first. A CUDA build is split into
    packages such as ``libtorch-cuda-12.8-linux-x64-part2-primary``, since NuGet limits the size of a package.
    """
    cache, version = torchsharp.parents[1], torchsharp.name
    nuspecs = (
        file.read_text(encoding="utf-8", errors="replace") for file in cache.glob(f"torchsharp-*/{version}/*.nuspec")
    )
    required = {number for text in nuspecs for number in re.findall(r'"libtorch-[^"]*" version="\[?([\d.]+)', text)}
    found: dict[tuple[Any, ...], list[Path]] = {}
    for folder in sorted(cache.glob(f"libtorch-c*-{SYSTEM}*/*/{FOLDER.as_posix()}")):
        kind, number = folder.parents[3].name.partition(f"-{SYSTEM}")[0], folder.parents[2].name
        found.setdefault((number in required, version_key(number), kind == "libtorch-cpu", kind), []).append(folder)
    return [tuple(found[key]) for key in sorted(found, reverse=True)]


def python_libtorch() -> Path | None:
    """Return the path of libtorch_cpu in this Python's torch, without importing torch; None if there is none."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        return None
    return _find_file(_LIBTORCH, [Path(spec.submodule_search_locations[0]) / "lib"])


def references(host: TorchSharpProcess, assembly: Path) -> dict[str, str]:
    """Return the names and versions of the assemblies that an assembly references."""
    described: dict[str, Any] = host.ask("describe", files=[str(assembly)])["files"][0]
    return dict(described["references"])


def _configured_path(environ: Mapping[str, str]) -> Path | None:
    value = environ.get(VARIABLE, "").strip()
    return Path(value) if value else None


def _find_assembly(place: Path) -> Path | None:
    """Return ``place`` if it is a file, else the TorchSharp.dll in the folder ``place``.

    In the folder of a NuGet package, return the TorchSharp.dll for the newest .NET. Returns None if the file is missing.
    """
    if place.is_file():
        return place.absolute()
    if (place / ASSEMBLY).is_file():
        return (place / ASSEMBLY).absolute()
    # The folders of .NET Framework, such as net472, have no dot, and those of .NET Standard begin with netstandard.
    built = [file for file in place.glob(f"lib/net*.*/{ASSEMBLY}") if not file.parent.name.startswith("netstandard")]
    return max(built, key=lambda file: version_key(file.parent.name.removeprefix("net"))).absolute() if built else None


def _package_of(assembly: Path) -> Path | None:
    """Return the folder of the NuGet package that contains an assembly, such as ``torchsharp/0.107.0``; None if there is none."""
    parents = assembly.parents
    return parents[2] if len(parents) > 3 and parents[1].name == "lib" else None


def _find_file(name: str, folders: Sequence[Path]) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)
