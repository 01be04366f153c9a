"""The commands to type after a port was written."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
from pathlib import Path

import torch

from bridge.clr.start.runtime import libtorch


def list_commands(folder: Path, runtime: str, left: bool = False) -> list[str]:
    """Return the lines that tell how to run and test a written port, with commands for the folder in which ``port`` was typed."""
    name = _quote(folder)
    library = f" {_quote(libtorch(Path(torch.__file__).parent / 'lib'))}" if runtime == "bridge" else ""
    installed = "" if importlib.util.find_spec("pytest") else "python -m pip install pytest && "
    first = [f"Write what is left to do in C#: {folder / 'PORT.md'} lists it."] if left else []
    if above := _project_above(folder.resolve()):
        first.append(f"{above.name} compiles every .cs file below it, those of {folder} too, unless it has")
        first.append(f'  <Compile Remove="{folder.resolve().relative_to(above.parent).as_posix()}/**" />')
    return [
        *first,
        f"Run it:  dotnet run --project {name}{library}",
        f"Test it: {installed}python -m pytest {name}",
    ]


def _quote(path: Path) -> str:
    """Quote a path for the system's shell, if it needs quotes."""
    return subprocess.list2cmdline([str(path)]) if os.name == "nt" else shlex.quote(str(path))


def _project_above(folder: Path) -> Path | None:
    """Return the C# project in the nearest folder above, which would also compile the sources in ``folder``; None if there is none."""
    return next((project for place in folder.parents for project in sorted(place.glob("*.csproj"))), None)
