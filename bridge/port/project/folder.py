"""The folder of a port, written whole or not at all: classes, project file, program, test, weights in two formats, and ``PORT.md``."""

from __future__ import annotations

import inspect
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from bridge.clr.start import schemas
from bridge.compare.io.inputs import signature_of
from bridge.compare.models.targets import PythonTarget
from bridge.port.errors import FolderError
from bridge.port.forwards.attention import is_masked
from bridge.port.porting import Port
from bridge.port.project.notes import render_notes
from bridge.port.project.program import render_program
from bridge.port.project.project_file import SCHEMAS, render_project
from bridge.port.project.pytest_file import render_test
from bridge.weight_file import write_weights
from hook_contract.output.files import check_name


def check_folder(folder: Path) -> None:
    """Raise FolderError if the folder is not empty, or cannot be written."""
    try:
        check_name(folder)
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
    """Write the folder whole or not at all; its project refers to TorchSharp's package, or to Bridge.Torch if ``runtime`` is ``bridge``.

    Raises FolderError.
    """
    folder = folder.resolve()
    name = name_namespace(folder)
    taken = _every(model, port, arguments)
    files = {
        **port.files,
        f"{name}.csproj": render_project(runtime, port.namespace),
        "Program.cs": render_program(port.namespace, port.construction, taken, runtime, port.result),
        f"test_{name.lower()}.py": render_test(
            f"{name}.csproj",
            f"{port.namespace}.{port.root}",
            arguments,
            original,
            is_masked(model, arguments),
            _place(original.module, folder),
            port.arguments,
        ),
        "PORT.md": render_notes(port, str(original)),
    }
    if runtime == "bridge":
        files[SCHEMAS] = schemas.every()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name[:40]}-") as place:
            made = Path(place) / "port"
            made.mkdir()
            for file, text in files.items():
                (made / file).write_text(text, encoding="utf-8")
            state = {key: value.detach().contiguous().clone() for key, value in model.state_dict().items()}
            save_file(state, made / "weights.safetensors")
            (made / "weights.safetensors").chmod(0o644)  # save_file lets only the owner read it
            write_weights(made / "weights.dat", state)
            if folder.exists():
                folder.rmdir()
            shutil.move(made, folder)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise FolderError(f"{folder} cannot be written: {reason}.") from error


def _every(model: torch.nn.Module, port: Port, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return an argument for each parameter in C#, its default if none was given, since TorchSharp's ``call`` has no defaults."""
    parameters = signature_of(model).parameters
    defaults = {name: one.default for name, one in parameters.items() if one.default is not inspect.Parameter.empty}
    return {name: arguments.get(name, defaults.get(name)) for name in port.inputs}


def _place(module: str, folder: Path) -> str | None:
    """Return the path from ``folder`` to the folder that a module is imported from; None if the module is installed, or has no file."""
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


def name_namespace(folder: Path) -> str:
    """Return the folder's name as a namespace."""
    name = "".join(letter if letter.isalnum() else "_" for letter in folder.name).strip("_") or "Port"
    return f"_{name}" if name[0].isdigit() else name
