"""The facade has TorchSharp's identity: the compiler and .NET accept it in place of TorchSharp."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

import bridge
from bridge import clr
from bridge.clr.find.assemblies import folder

pytestmark = pytest.mark.dotnet

_HERE = Path(__file__).parent


def test_name_version_and_public_key_are_torchsharps(reference: Path) -> None:
    clr.start()
    from System.Reflection import AssemblyName

    facade = AssemblyName.GetAssemblyName(str(folder()[0] / "TorchSharp.dll")).FullName
    assert facade == AssemblyName.GetAssemblyName(str(reference)).FullName
    assert facade == "TorchSharp, Version=0.107.0.0, Culture=neutral, PublicKeyToken=67b0e5e1da516a1c"


def test_a_model_compiles_and_runs_beside_a_library_compiled_against_torchsharp(
    build_csharp: Callable[..., Path], reference: Path, tmp_path: Path
) -> None:
    """The compiler compares identities: with another version or key, ``block`` would not be a module of the facade (CS0012)."""
    library = build_csharp([_HERE / "Layers.cs"], "Layers", against=[reference])
    ours = [folder()[0] / f"{name}.dll" for name in ("TorchSharp", "Bridge.Torch", "Bridge.Hooks")]
    model_file = build_csharp([_HERE / "Beside.cs"], "Beside", against=[*ours, library])
    shutil.copy(library, tmp_path)
    model = bridge.load(shutil.copy(model_file, tmp_path), "Beside.Net")
    assert type(model.block.linear) is nn.Linear
    x = torch.randn(2, 4)
    assert torch.equal(model(x), 2 * model.block.linear(x).relu())
