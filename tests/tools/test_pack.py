"""tools/pack.py: the packages, and what a new project outside of the checkout makes of them."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bridge.trace import Trace
from bridge.trace.file import write

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("Bridge.Hooks", "Bridge.Torch", "Bridge.TorchSharp")
pytestmark = [pytest.mark.slow, pytest.mark.sdk]
#: What portable symbols have of a source file that is in them, and of where the others are to be found.
EMBEDDED = bytes.fromhex("1b578a0e 2669 6e46 b4ad 8ab04611f5fe".replace(" ", ""))
SOURCES_ARE_AT = b"https://raw.githubusercontent.com/nobody/example/"

PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework>
    <Nullable>enable</Nullable>
    <ImplicitUsings>enable</ImplicitUsings>
    <UseAppHost>false</UseAppHost>
    <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
    <RestorePackagesPath>packages</RestorePackagesPath>
    <RestoreFallbackFolders>{cache}</RestoreFallbackFolders>
    <CreateHardLinksForCopyLocalIfPossible>true</CreateHardLinksForCopyLocalIfPossible>
    <NoWarn>$(NoWarn);CS8981</NoWarn>
  </PropertyGroup>
  <ItemGroup>{items}</ItemGroup>
</Project>
"""
CONFIG = """<configuration>
  <packageSources><clear /><add key="ours" value="{folder}" /></packageSources>
</configuration>
"""
RECORDED = """using Bridge.TorchSharp;
using static TorchSharp.torch;

var model = nn.Sequential(nn.Linear(4, 2), nn.ReLU());
using (HookTrace.Record(model, "run.jsonl")) model.call(ones(1, 4));
using var hooks = HookRegistry.Attach(model);
using var handle = hooks["1"].register_forward_hook(
    (object module, in object?[] args, ref object? output) => Console.WriteLine($"{module} {args.Length}"));
model.call(ones(1, 4));
Console.WriteLine(File.ReadLines("run.jsonl").Count());
"""
#: What the analyzers report, and what dotnet format makes of it.
BYPASSING = "using static TorchSharp.torch;\n\nvar fc = nn.Linear(4, 2);\nConsole.WriteLine(fc.forward(ones(1, 4)).shape.Length);\n"
COMPILED = """using Bridge.Hooks;
using TorchSharp;
using static TorchSharp.torch;

using var handle = GlobalHooks.Pre.Add((object module, ref object?[] args) => { });
Console.WriteLine($"{GlobalHooks.IsEmpty} {typeof(Net).BaseType!.Name} {Bridge.Torch.Runtime.Operators.Count > 100}");

public sealed class Net : nn.Module<Tensor, Tensor>
{
    private readonly nn.Module<Tensor, Tensor> fc = nn.Linear(4, 2);

    public Net() : base(nameof(Net)) => RegisterComponents();

    public override Tensor forward(Tensor input) => fc.call(input);
}
"""


@pytest.fixture(scope="module")
def packages(sdk: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the packages, made in a copy of the checkout that is a git repository."""
    pytest.importorskip("build", reason="needs build, which makes the wheel (extra dev)")
    copy, out = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("dist")
    leave = shutil.ignore_patterns("artifacts", "bin", "obj", "__pycache__")
    for name in ("bridge", "tools", "dotnet"):
        shutil.copytree(ROOT / name, copy / name, ignore=leave)
    for name in ("README.md", "LICENSE", "pyproject.toml"):
        shutil.copyfile(ROOT / name, copy / name)
    identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
    for words in (
        ("init", "-q"), ("remote", "add", "origin", "https://github.com/nobody/example"), ("add", "-A"), ("commit", "-qm", "A copy"),
    ):  # fmt: skip
        subprocess.run(["git", *identity, *words], cwd=copy, check=True)
    done = subprocess.run(
        [sys.executable, "tools/pack.py", out], cwd=copy, env=sdk.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def _run(sdk: Any, folder: Path, *command: object) -> str:
    done = subprocess.run(
        [sdk.command, *map(str, command)],
        cwd=folder, env=sdk.environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _write_project(cache: Path, packages: Path, folder: Path, source: str, *items: str) -> None:
    """Write a new project that refers to ``items``."""
    (folder / "Consumer.csproj").write_text(PROJECT.format(items="".join(items), cache=cache), encoding="utf-8")
    (folder / "nuget.config").write_text(CONFIG.format(folder=packages), encoding="utf-8")
    (folder / "Program.cs").write_text(source, encoding="utf-8")


def _consumed(sdk: Any, cache: Path, packages: Path, folder: Path, source: str, *items: str) -> str:
    """Return the output of a new project that refers to ``items``."""
    _write_project(cache, packages, folder, source, *items)
    _run(sdk, folder, "build", "-o", "out", "--nologo", "-v", "quiet", "-p:UseSharedCompilation=false")
    return _run(sdk, folder, "exec", folder / "out" / "Consumer.dll")


@pytest.mark.parametrize("name", NAMES)
def test_a_package_has_documentation_licence_and_readme_and_symbols_their_sources(packages: Path, name: str) -> None:
    (path,) = packages.glob(f"{name}.[0-9]*.nupkg")
    package, symbols = zipfile.ZipFile(path), zipfile.ZipFile(path.with_suffix(".snupkg"))
    assert {"README.md", "LICENSE", f"lib/net8.0/{name}.dll", f"lib/net8.0/{name}.xml"} <= {*package.namelist()}
    assert name in package.read("README.md").decode()
    text = package.read(f"{name}.nuspec").decode()
    assert '<license type="expression">MIT</license>' in text
    assert re.search(r'<repository type="git" url="https://github.com/nobody/example"[^>]* commit="[0-9a-f]{40}"', text)
    assert re.findall(r'<dependency id="([^"]+)"', text) == ([] if name == "Bridge.Hooks" else ["Bridge.Hooks"])
    found = symbols.read(f"lib/net8.0/{name}.pdb")
    assert EMBEDDED in found
    assert SOURCES_ARE_AT in found


def test_the_tool_is_installed_and_compares(sdk: Any, packages: Path, tmp_path: Path) -> None:
    place = ("--tool-path", tmp_path / "tools", "--add-source", packages, "--version", "0.1.0")
    _run(sdk, tmp_path, "tool", "install", "Bridge.Trace.Tool", *place)
    (path,) = packages.glob("Bridge.Trace.Tool.[0-9]*.nupkg")
    assert {"README.md", "LICENSE"} <= {*zipfile.ZipFile(path).namelist()}
    for name in ("a.jsonl", "b.jsonl"):
        write(tmp_path / name, Trace(name))
    done = subprocess.run(
        [tmp_path / "tools" / "torchsharp-trace", "diff", "a.jsonl", "b.jsonl"],
        cwd=tmp_path, env=sdk.environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "a.jsonl and b.jsonl agree: 0 events" in done.stdout


@pytest.mark.usefixtures("torchsharp")
def test_a_new_project_records_and_hooks_its_own_torchsharp(
    sdk: Any, nuget_cache: Path, packages: Path, tmp_path: Path
) -> None:
    theirs = '<PackageReference Include="TorchSharp-cpu" Version="0.107.0" />'
    said = _consumed(
        sdk,
        nuget_cache,
        packages,
        tmp_path,
        RECORDED,
        theirs,
        '<PackageReference Include="Bridge.TorchSharp" Version="0.1.0" />',
    )
    hook, lines = said.splitlines()
    assert hook == "TorchSharp.Modules.ReLU 1"
    assert int(lines) > 6


@pytest.mark.usefixtures("torchsharp")
def test_a_new_project_has_the_analyzers_and_their_fixes(
    sdk: Any, nuget_cache: Path, packages: Path, tmp_path: Path
) -> None:
    theirs = '<PackageReference Include="TorchSharp" Version="0.107.0" />'
    ours = '<PackageReference Include="Bridge.TorchSharp" Version="0.1.0" />'
    _write_project(nuget_cache, packages, tmp_path, BYPASSING, theirs, ours)
    words = ("build", "--nologo", "-v", "quiet", "-p:UseSharedCompilation=false")
    done = subprocess.run(
        [sdk.command, *words], cwd=tmp_path, env=sdk.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "error TSB001: 'fc.forward' does not run the hooks of 'fc': use 'call' (https://github.com/" in done.stdout
    _run(sdk, tmp_path, "format", "analyzers", "--no-restore", "--diagnostics", "TSB001")
    assert (tmp_path / "Program.cs").read_text(encoding="utf-8") == BYPASSING.replace("forward", "call")
    _run(sdk, tmp_path, *words)


def test_a_new_project_compiles_a_model_of_torchsharps_names(
    sdk: Any, nuget_cache: Path, packages: Path, tmp_path: Path
) -> None:
    said = _consumed(
        sdk, nuget_cache, packages, tmp_path, COMPILED, '<PackageReference Include="Bridge.Torch" Version="0.1.0" />'
    )
    assert said.split() == ["False", "Module`2", "True"]


def test_the_wheels_are_beside_them(packages: Path, tmp_path: Path) -> None:
    for name in ("torchsharp_bridge", "hook_contract"):
        (wheel,) = packages.glob(f"{name}-*.whl")
        zipfile.ZipFile(io.BytesIO(wheel.read_bytes())).extractall(tmp_path)
    asked = "import bridge, pathlib; print(pathlib.Path(bridge.__file__).parent)"
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=tmp_path, env=environ, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()) == tmp_path / "bridge"
