"""Which TorchSharp a model runs on in a process of its own: where it is looked for, and what was found in each place.

The order: the file or folder that ``runtime="torchsharp:FOLDER"`` names, or ``BRIDGE_TORCHSHARP``; the model's folder; NuGet's cache, the
version that the model was compiled for before newer ones. Which of the assemblies named TorchSharp a file is, C# says (``LibraryFile.cs``),
and this takes the first that models can run on.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bridge.clr.locate import in_home
from bridge.host.host_errors import HostStartError
from bridge.host.requests import Host

VARIABLE: Final = "BRIDGE_TORCHSHARP"
ASSEMBLY: Final = "TorchSharp.dll"
_NATIVE: Final = {"win32": "LibTorchSharp.dll", "darwin": "libLibTorchSharp.dylib"}.get(
    sys.platform, "libLibTorchSharp.so"
)
_LIBTORCH: Final = {"win32": "torch_cpu.dll", "darwin": "libtorch_cpu.dylib"}.get(sys.platform, "libtorch_cpu.so")


@dataclass(frozen=True, slots=True)
class Found:
    """A file named TorchSharp.dll: where it was looked for, and what C# says it is."""

    path: Path
    place: str
    title: str
    kind: str
    runs: bool


class TorchSharpNotFound(HostStartError):
    """There is no TorchSharp that a model can run on; the message names each place and what is there."""


def candidates(
    model: Path | None, asked: Path | None, environ: Mapping[str, str] = os.environ, version: str = ""
) -> Iterator[tuple[str, Path]]:
    """(the place in words, a file named TorchSharp.dll in it), the first to be preferred. ``version`` is the one to prefer in the cache.

    Raises TorchSharpNotFound when ``asked`` or BRIDGE_TORCHSHARP names a place without one: an explicit setting is never ignored.
    """
    for said, place in (("asked for", asked), (VARIABLE, _set(environ))):
        if place is not None:
            file = _inside(place)
            if file is None:
                raise TorchSharpNotFound(f"there is no {ASSEMBLY} in {place} ({said})")
            yield said, file
            return
    if model is not None and (model.parent / ASSEMBLY).is_file():
        yield "the model's folder", model.parent / ASSEMBLY
    packages = Path(environ.get("NUGET_PACKAGES", "").strip() or in_home(".nuget/packages"), "torchsharp")
    versions = [folder for folder in packages.glob("*") if folder.is_dir()]
    versions.sort(key=lambda folder: (folder.name == version, _key(folder.name)), reverse=True)
    for folder in versions:
        file = _inside(folder)
        if file is not None:
            yield "NuGet's cache", file


def search(
    host: Host, model: Path | None, asked: Path | None, environ: Mapping[str, str] = os.environ, version: str = ""
) -> list[Found]:
    """All that there is, the one to use first among those that run."""
    places = list(candidates(model, asked, environ, version))
    said = host.ask("describe", files=[str(path) for _, path in places])["files"]
    return [
        Found(path, place, file["title"], file["kind"], file["runs"])
        for (place, path), file in zip(places, said, strict=True)
    ]


def chosen(found: Sequence[Found]) -> Found:
    """The one to use. Raises TorchSharpNotFound, which says what was found instead."""
    for file in found:
        if file.runs:
            return file
    looked = "".join(f"\n{file.path} ({file.place}) is {file.title}" for file in found)
    raise TorchSharpNotFound(
        f"no TorchSharp was found to run the model on: neither by {VARIABLE}, nor in the model's folder, nor in NuGet's cache. "
        f"Set {VARIABLE} to a folder that has {ASSEMBLY}, or load the model without runtime, on Bridge.Torch.{looked}"
    )


def native_libraries(assembly: Path) -> list[str]:
    """Return the libraries to load before TorchSharp is used, in order: libtorch's, and TorchSharp's own. Empty where the last is nowhere.

    libtorch is the one beside it, else that of its NuGet package, else that of this Python's torch. TorchSharp's library asks for
    ``libtorch``, which has no code, besides ``libtorch_cpu``: it would be looked for in TorchSharp's folder alone.
    """
    package = _package(assembly)
    runtimes = ("runtimes", "linux-x64", "native")
    beside = (assembly.parent, assembly.parent.joinpath(*runtimes))
    own = _first(_NATIVE, [*beside, *([package.joinpath(*runtimes)] if package else [])])
    if own is None:
        return []
    others = sorted(package.parents[1].glob("libtorch-cpu-linux-x64/*"), reverse=True) if package else []
    folders = [own.parent, *beside, *(folder.joinpath(*runtimes) for folder in others)]
    libtorch = _first(_LIBTORCH, folders) or python_libtorch()
    if libtorch is None:
        return [str(own)]
    whole = libtorch.with_name(libtorch.name.replace("torch_cpu", "torch"))
    return [str(path) for path in (libtorch, whole, own) if path.is_file()]


def python_libtorch() -> Path | None:
    """The libtorch_cpu of this Python's torch, which is not imported."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        return None
    return _first(_LIBTORCH, [Path(spec.submodule_search_locations[0]) / "lib"])


def references(host: Host, assembly: Path) -> dict[str, str]:
    """What an assembly refers to: versions by name."""
    described: dict[str, Any] = host.ask("describe", files=[str(assembly)])["files"][0]
    return dict(described["references"])


def _set(environ: Mapping[str, str]) -> Path | None:
    value = environ.get(VARIABLE, "").strip()
    return Path(value) if value else None


def _inside(place: Path) -> Path | None:
    """The file itself, or the one in a folder: directly, or in a package for the newest .NET."""
    if place.is_file():
        return place.absolute()
    if (place / ASSEMBLY).is_file():
        return (place / ASSEMBLY).absolute()
    built = [file for file in place.glob(f"lib/net*/{ASSEMBLY}") if not file.parent.name.startswith("netstandard")]
    return max(built, key=lambda file: _key(file.parent.name)).absolute() if built else None


def _package(assembly: Path) -> Path | None:
    """The folder of the NuGet package that an assembly is in: ``torchsharp/0.107.0``."""
    parents = assembly.parents
    return parents[2] if len(parents) > 3 and parents[1].name == "lib" else None


def _first(name: str, folders: Sequence[Path]) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def _key(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", name))
