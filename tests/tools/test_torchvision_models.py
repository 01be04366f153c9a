"""tools/torchvision_models.py: TorchVision's compiled models on both runtimes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <ItemGroup><PackageReference Include="TorchVision" Version="0.107.0" /></ItemGroup>
</Project>
"""


@pytest.mark.dotnet
@pytest.mark.sdk
@pytest.mark.slow
def test_torchvisions_models_are_the_same_on_both_runtimes(
    sdk: Any, torchsharp: Path, nuget_cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "Vision.csproj").write_text(PROJECT, encoding="utf-8")
    packages = tmp_path / "packages"
    restored = subprocess.run(
        [sdk.command, "restore", f"-p:RestorePackagesPath={packages}", f"-p:RestoreFallbackFolders={nuget_cache}"],
        cwd=tmp_path,
        env={name: value for name, value in sdk.environ.items() if name != "NUGET_PACKAGES"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert restored.returncode == 0, restored.stdout + restored.stderr
    done = subprocess.run(
        [sys.executable, "tools/torchvision_models.py", "resnet18", "mobilenet_v3_small", "alexnet"],
        cwd=ROOT,
        env={
            **os.environ,
            "BRIDGE_TORCHSHARP": str(torchsharp),
            "BRIDGE_TORCHVISION": str(packages / "torchvision/0.107.0/lib/net8.0/TorchVision.dll"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| resnet18 | 122 |" in done.stdout
    assert done.stdout.endswith("3 equal, 0 not\n")
