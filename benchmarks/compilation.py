"""C# compiled for a figure: against TorchSharp's signatures, as a user's assembly, or against Bridge.Torch."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <Deterministic>true</Deterministic>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
  <ItemGroup>{references}</ItemGroup>
</Project>
"""


def compile_source(name: str, source: str, against: Sequence[Path] = (), more: Sequence[Path] = ()) -> Path:
    """Return the assembly ``NAME.dll`` of a source and ``more`` files, compiled once per set of assemblies.

    Without ``against`` these are TorchSharp's signatures.
    """
    sdk = _sdk()
    libraries = list(against) or [_reference(sdk)]
    read = b"".join(path.read_bytes() for path in (*libraries, *more))
    made = _folder(name, read + source.encode())
    library = made / "out" / f"{name}.dll"
    if library.is_file():
        return library
    references = "".join(f'<Reference Include="{path}" Private="false" />' for path in libraries)
    (made / f"{name}.csproj").write_text(_PROJECT.format(references=references), encoding="utf-8")
    (made / f"{name}.cs").write_text(source, encoding="utf-8")
    for path in more:
        shutil.copy(path, made / path.name)
    command = [sdk.command, "build", "-c", "Release", "-o", str(made / "out"), "--nologo", "-clp:ErrorsOnly"]
    done = subprocess.run(command, cwd=made, env=sdk.environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{done.stdout}\n{done.stderr}")
    return library


def _reference(sdk: Any) -> Path:
    program = ROOT / "dotnet" / "artifacts" / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"
    listed = ROOT / "dotnet" / "tests" / "TorchSharp.Reference" / "surface.jsonl"
    made = _folder("reference", program.read_bytes() + listed.read_bytes()) / "TorchSharp.dll"
    if not made.is_file():
        subprocess.run([sdk.command, program, listed, made], env=sdk.environ, check=True, stdout=subprocess.DEVNULL)
    return made


def _folder(name: str, content: bytes) -> Path:
    folder = Path(tempfile.gettempdir()) / f"bridge-bench-{name.lower()}-{hashlib.sha256(content).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    return folder


def _sdk() -> Any:
    spec = importlib.util.spec_from_file_location("_bench_sdk", ROOT / "tools" / "sdk.py")
    if spec is None or spec.loader is None:
        raise ImportError("tools/sdk.py cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.Sdk()
