"""The folder of a port, there whole or not at all: classes, project file, program, test, weights in two formats, and ``PORT.md``."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from bridge.clr.start import schemas
from bridge.clr.start.runtime import libtorch
from bridge.compare.models.targets import PythonTarget
from bridge.port import project_files
from bridge.port.attention import is_masked
from bridge.port.notes import notes
from bridge.port.port_errors import FolderError
from bridge.port.porting import Port
from bridge.weight_file import write_weights


def check_folder(folder: Path) -> None:
    """Raise FolderError where something lies there already, and where nothing can."""
    try:
        taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        raise FolderError(f"{folder} cannot be written: {error.strerror}.") from error
    if taken:
        raise FolderError(f"{folder} is not empty: name a new folder; a port overwrites nothing.")


def write_project(
    folder: Path,
    port: Port,
    model: torch.nn.Module,
    arguments: Mapping[str, Any],
    original: PythonTarget,
    runtime: str = "torchsharp",
) -> None:
    """Writes the folder at once or not at all; its project refers to TorchSharp's package, or with ``runtime`` ``bridge`` to ours.

    Raises FolderError.
    """
    folder = folder.resolve()
    name = namespace_of(folder)
    taken = {key: value for key, value in arguments.items() if key in port.inputs}  # what was always None, C# lacks
    files = {
        **port.files,
        f"{name}.csproj": project_files.project(runtime, port.namespace),
        "Program.cs": project_files.program(port.namespace, port.root, taken, runtime, _result(port)),
        f"test_{name.lower()}.py": project_files.pytest_file(
            f"{name}.csproj",
            f"{port.namespace}.{port.root}",
            arguments,
            original,
            is_masked(model, arguments),
            _place(original.module, folder),
        ),
        "PORT.md": notes(port, str(original)),
    }
    if runtime == "bridge":
        files[project_files.SCHEMAS] = schemas.every()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name[:40]}-") as place:
            made = Path(place) / "port"
            made.mkdir()
            for file, text in files.items():
                (made / file).write_text(text, encoding="utf-8")
            state = {key: value.detach().contiguous().clone() for key, value in model.state_dict().items()}
            save_file(state, made / "weights.safetensors")
            (made / "weights.safetensors").chmod(0o644)  # it is written for its owner alone
            write_weights(made / "weights.dat", state)
            if folder.exists():
                folder.rmdir()
            shutil.move(made, folder)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise FolderError(f"{folder} cannot be written: {reason}.") from error


def next_commands(folder: Path, runtime: str, left: bool = False) -> list[str]:
    """What to type next, in the folder where ``port`` was typed: the commands that run and test what was written."""
    name = shlex.quote(str(folder))
    library = f" {shlex.quote(str(libtorch(Path(torch.__file__).parent / 'lib')))}" if runtime == "bridge" else ""
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


def _project_above(folder: Path) -> Path | None:
    """Return the C# project of a folder above, whose sources MSBuild takes to be all below it; None without one."""
    return next((project for place in folder.parents for project in sorted(place.glob("*.csproj"))), None)


def _result(port: Port) -> str:
    """The C# type that the whole model's forward gives."""
    found = re.search(r"public override (.+?) forward\(", port.files.get(f"{port.root}.cs", ""))
    return found[1] if found else "object"


def _place(module: str, folder: Path) -> str | None:
    """The folder that a module is imported from, seen from ``folder``; None where it is installed, or was not imported from a file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return None
    depth = module.count(".") + (Path(file).stem == "__init__")
    place = Path(file).resolve().parents[depth]
    if {"site-packages", "dist-packages"} & {*place.parts} or place.is_relative_to(Path(os.__file__).resolve().parent):
        return None
    try:
        return Path(os.path.relpath(place, folder)).as_posix()
    except ValueError:  # on another drive of Windows
        return str(place)


def namespace_of(folder: Path) -> str:
    """The folder's name as a namespace."""
    name = "".join(letter if letter.isalnum() else "_" for letter in folder.name).strip("_") or "Port"
    return f"_{name}" if name[0].isdigit() else name
