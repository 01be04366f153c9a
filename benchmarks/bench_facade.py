"""A model that was compiled against TorchSharp, against the same source compiled against Bridge.Torch."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from harness import Figure, Samples, in_turn

import bridge
from bridge.clr import assemblies

ROOT = Path(__file__).resolve().parents[1]
_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <Nullable>enable</Nullable>
    <ImplicitUsings>enable</ImplicitUsings>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
  <ItemGroup>{references}</ItemGroup>
</Project>
"""


def _compiled(folder: Path, sdk: Any, libraries: list[Path]) -> Path:
    folder.mkdir()
    references = "".join(f'<Reference Include="{path}" Private="false" />' for path in libraries)
    (folder / f"{folder.name}.csproj").write_text(_PROJECT.format(references=references), encoding="utf-8")
    shutil.copy(ROOT / "benchmarks" / "models" / "Mlp.cs", folder)
    command = [sdk.command, "build", "-c", "Release", "-o", str(folder / "out"), "--nologo", "-v:q"]
    subprocess.run(command, cwd=folder, env=sdk.environ, check=True)
    return folder / "out" / f"{folder.name}.dll"


@torch.no_grad()
def _facade() -> Samples:
    sys.path.append(str(ROOT / "tools"))
    from sdk import Sdk

    sdk = Sdk()
    tests = ROOT / "dotnet" / "tests" / "TorchSharp.Reference"
    program = ROOT / "dotnet" / "artifacts" / "bin" / tests.name / "release" / f"{tests.name}.dll"
    ours, _ = assemblies.folder()
    with tempfile.TemporaryDirectory() as made:
        reference = Path(made) / "TorchSharp.dll"
        subprocess.run([sdk.command, program, tests / "surface.jsonl", reference], env=sdk.environ, check=True)
        libraries = {"Theirs": [reference], "Direct": [ours / "Bridge.Hooks.dll", ours / "Bridge.Torch.dll"]}
        models = [
            bridge.load(_compiled(Path(made) / name, sdk, found), "BenchmarkModels.Mlp", 12, 64).eval()
            for name, found in libraries.items()
        ]
    theirs, direct = models
    direct.load_state_dict(theirs.state_dict())
    x = torch.randn(1, 64)
    assert torch.equal(theirs(x), direct(x))
    return in_turn(lambda: theirs(x), lambda: direct(x))


FIGURES = (
    Figure(
        "facade", "12-layer MLP, hidden 64, batch 1, no_grad, compiled against TorchSharp and called from Python",
        "the same compiled against Bridge.Torch", "us", _facade, 1.02,
    ),
)  # fmt: skip
