"""The folder of a port: classes, project file, program, weights in two formats, and ``PORT.md``."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import save_file

from bridge.port.port_errors import FolderError
from bridge.port.porting import Port
from bridge.weight_file import write_weights

#: The version of TorchSharp that a port refers to; its public surface is what may be written.
TORCHSHARP: Final = "0.107.0"

_PROJECT: Final = f"""\
<Project Sdk="Microsoft.NET.Sdk">

  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net8.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
  </PropertyGroup>

  <ItemGroup>
    <PackageReference Include="TorchSharp-cpu" Version="{TORCHSHARP}" />
    <None Include="weights.dat" CopyToOutputDirectory="PreserveNewest" />
  </ItemGroup>

</Project>
"""


def check_folder(folder: Path) -> None:
    """Raises FolderError where something lies there already."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FolderError(f"{folder} is not empty: name a new folder; a port overwrites nothing.")


def write_project(folder: Path, port: Port, model: torch.nn.Module, arguments: Mapping[str, Any], title: str) -> None:
    """Writes the folder at once or not at all. Raises FolderError."""
    folder = folder.resolve()
    name = namespace_of(folder)
    files = {
        **port.files,
        f"{name}.csproj": _PROJECT,
        "Program.cs": _program(name, port.root, arguments),
        "PORT.md": notes(port, title),
    }
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as place:
            made = Path(place) / "port"
            made.mkdir()
            for file, text in files.items():
                (made / file).write_text(text, encoding="utf-8")
            state = {key: value.detach().contiguous().clone() for key, value in model.state_dict().items()}
            save_file(state, made / "weights.safetensors")
            write_weights(made / "weights.dat", state)
            if folder.exists():
                folder.rmdir()
            shutil.move(made, folder)
    except (OSError, ValueError) as error:
        raise FolderError(f"{folder} cannot be written: {error}.") from error


def namespace_of(folder: Path) -> str:
    """The folder's name as a namespace."""
    name = "".join(letter if letter.isalnum() else "_" for letter in folder.name).strip("_") or "Port"
    return f"_{name}" if name[0].isdigit() else name


def _program(namespace: str, root: str, arguments: Mapping[str, Any]) -> str:
    inputs = ", ".join(_input(value) for value in arguments.values() if isinstance(value, torch.Tensor))
    return f"""\
using TorchSharp;

using var model = new {namespace}.{root}();
model.load(Path.Combine(AppContext.BaseDirectory, "weights.dat"));
model.eval();
using (torch.no_grad())
{{
    Console.WriteLine(model.call({inputs}));
}}
"""


def _input(value: torch.Tensor) -> str:
    shape = ", ".join(map(str, value.shape))
    return (
        f"torch.rand({shape})" if value.is_floating_point() else f"torch.randint(0, {int(value.max()) + 1}, [{shape}])"
    )


def notes(port: Port, title: str) -> str:
    """``PORT.md``: each class, and what is left to do in it."""
    lines = [f"# {title}", "", "| class | left to do |", "| --- | --- |"]
    for file in port.files:
        name = file.removesuffix(".cs")
        places = [f"{one.where}, {one.place}: {one.why}" for one in port.left if one.where.partition(".")[0] == name]
        lines.append(f"| {name} | {'<br>'.join(place.replace('|', '/') for place in places) or 'nothing'} |")
    return "\n".join(lines) + "\n"


def lines_of_code(text: str) -> int:
    """Lines that are neither empty nor a comment."""
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))
