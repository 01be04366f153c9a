"""The real TorchSharp for Windows: its package from NuGet's cache, and the libtorch for which it was made from torch's wheel."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path
from typing import Final

from windows import interpreter

VERSION: Final = "0.107.0"
#: The torch whose libtorch this TorchSharp calls. NuGet's package of it is not needed.
_TORCH: Final = "2.10.0"


def install(folder: Path) -> Path | None:
    """Return the folder of TorchSharp's package below ``folder``; None if NuGet's cache lacks the package.

    Raises DownloadError.
    """
    cache = Path(os.environ.get("NUGET_PACKAGES") or "~/.nuget/packages").expanduser()
    package, target = cache / "torchsharp" / VERSION, folder / "torchsharp" / VERSION
    if target.is_dir() or not (package / "runtimes" / "win-x64").is_dir():
        return target if target.is_dir() else None
    part = folder / "torchsharp.part"
    shutil.rmtree(part, ignore_errors=True)
    native = Path("runtimes", "win-x64", "native")
    for place in (Path("lib"), native):
        shutil.copytree(package / place, part / place)
    wheels = folder / "libtorch"
    wheels.mkdir(exist_ok=True)
    interpreter.download(wheels, *interpreter.WINDOWS, f"torch=={_TORCH}")
    with zipfile.ZipFile(next(wheels.glob("torch-*.whl"))) as archive:
        for name in archive.namelist():
            if name.startswith("torch/lib/") and name.endswith(".dll"):
                (part / native / Path(name).name).write_bytes(archive.read(name))
    shutil.rmtree(wheels)
    target.parent.mkdir(exist_ok=True)
    part.rename(target)
    return target


def put(package: Path, checkout: Path) -> None:
    """Link the package's files to the place in a checkout from which tests take TorchSharp: an SDK would restore it there."""
    output = checkout / "dotnet" / "artifacts" / "bin" / "Bridge.TorchSharp.Tests" / "release"
    if not output.exists():
        shutil.copytree(package / "lib" / "net8.0", output, copy_function=os.link)
        shutil.copytree(package / "runtimes", output / "runtimes", copy_function=os.link)
