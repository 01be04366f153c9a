"""bridge/clr/compile/manifest.py: a project is built again where anything that its build depends on has changed, and else is not."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.clr.compile import manifest, projects
from bridge.clr.compile.projects import build_project, find_build
from bridge.clr.find import assemblies

needs_sdk = pytest.mark.sdk

_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net8.0</TargetFramework><DefineConstants>$(MINE_DEFINES)</DefineConstants></PropertyGroup>
  <Import Project="Shared/more.props" />
  <ItemGroup>
    <ProjectReference Include="../Lib/Lib.csproj" />
    <EmbeddedResource Include="Words/*.txt" />
    <None Include="settings.json" CopyToOutputDirectory="PreserveNewest" />
    <Compile Include="../Linked.cs" />
  </ItemGroup>
</Project>
"""
_LIBRARY = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
  <Import Project="more/lib.props" />
</Project>
"""
_FILES = {
    "Mine/Mine.csproj": _PROJECT,
    "Mine/Net.cs": "namespace Mine; public class Net { public int Size() => Lib.Factor.Value(); }",
    "Mine/Parts/Part.cs": "namespace Mine; public class Part { }",
    "Mine/Shared/more.props": "<Project />",
    "Mine/Words/one.txt": "one",
    "Mine/settings.json": "{}",
    "Lib/Lib.csproj": _LIBRARY,
    "Lib/more/lib.props": "<Project />",
    "Lib/Factor.cs": "namespace Lib; public static class Factor { public static int Value() => 1; }",
    "Linked.cs": "namespace Mine; public class Linked { }",
    "Directory.Build.props": "<Project />",
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder with a project that was built, its output, and copies of our assemblies."""
    folder = tmp_path_factory.mktemp("world")
    write(folder, _FILES)
    (folder / "ours").mkdir()
    for name in ("Bridge.Torch.dll", "Bridge.Hooks.dll"):
        shutil.copy(assemblies.folder()[0] / name, folder / "ours")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_CACHE", str(folder / "cache"))
        packages = os.environ.get("NUGET_PACKAGES") or Path.home() / ".nuget" / "packages"
        patch.setenv("NUGET_FALLBACK_PACKAGES", str(packages))
        patch.setenv("NUGET_PACKAGES", str(folder / "packages"))
        build_project(folder / "Mine" / "Mine.csproj", folder / "ours")
        yield folder


def kept(world: Path) -> bool:
    return find_build(world / "Mine" / "Mine.csproj", world / "ours") is not None


@needs_sdk
def test_an_unchanged_project_is_not_built_again(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "_run", None)
    monkeypatch.setenv("PATH", "/elsewhere", prepend=os.pathsep)
    (world / "Mine" / "Net.cs").touch()
    library = build_project(world / "Mine" / "Mine.csproj", world / "ours")
    assert {"Mine.dll", "Lib.dll", "settings.json"} <= {file.name for file in library.parent.iterdir()}


@needs_sdk
@pytest.mark.parametrize("gone", [False, True])
def test_a_file_that_is_other_or_gone_is_seen(world: Path, gone: bool) -> None:
    built = next((world / "cache").glob("Mine-*/swapped/bin/Mine/release"))
    ours = world / "ours"
    inputs = (*(world / name for name in _FILES), ours / "Bridge.Torch.dll", ours / "Bridge.Hooks.dll")
    for file in (*inputs, built / "Mine.dll", built / "Lib.dll"):
        before, times = file.read_bytes(), file.stat()
        if gone:
            file.unlink()
        else:
            file.write_bytes(before + b"\n")
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert not kept(world), file
        file.write_bytes(before)
        assert kept(world), file


@needs_sdk
def test_a_file_that_has_come_is_seen(world: Path) -> None:
    for name in (
        "Mine/New.cs",
        "Mine/Parts/Deeper/New.cs",
        "Mine/Words/two.txt",
        "Mine/Mine.csproj.user",
        "Mine/Directory.Build.targets",
        "Mine/Directory.Build.rsp",
        "Lib/New.cs",
        "Lib/.editorconfig",
        "Directory.Packages.props",
        "global.json",
        "nuget.config",
        "packages/torchsharp/x",
    ):
        file = world / name
        parents = [parent for parent in file.parents if not parent.exists()]
        write(world, {name: ""})
        assert not kept(world), name
        file.unlink()
        for parent in parents:
            parent.rmdir()
        assert kept(world), name


@needs_sdk
def test_a_file_that_no_build_reads_is_none(world: Path) -> None:
    for name in ("Mine/bin/New.cs", "Mine/obj/New.cs", "Mine/.vscode/New.cs", "Beside/New.cs", "New.cs"):
        write(world, {name: ""})
        assert kept(world), name


@needs_sdk
def test_a_variable_that_a_build_reads_is_seen(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMETHING_ELSE", "1")
    assert kept(world)
    for name in ("MINE_DEFINES", "mine_defines", "NUGET_PACKAGES", "Configuration", "DOTNET_gcServer"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "other")
            assert not kept(world), name


@needs_sdk
def test_another_sdk_is_seen(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = projects.find_dotnet(sdk=True)
    monkeypatch.setattr(projects, "find_dotnet", lambda **_: dataclasses.replace(found, sdks=(*found.sdks, "99.0.100")))
    assert not kept(world)


@needs_sdk
def test_a_global_json_of_the_folder_of_the_process_is_seen(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert kept(world)
    (tmp_path / "global.json").write_text("{}")
    assert not kept(world)


@needs_sdk
def test_notes_that_cannot_be_read_are_none(world: Path) -> None:
    (notes,) = (world / "cache").glob("Mine-*/built.json")
    before = notes.read_text(encoding="utf-8")
    for text in ("", "{}", "[]", '{"asked": 1, "target": 2}'):
        notes.write_text(text, encoding="utf-8")
        assert not kept(world), text
    notes.write_text(before, encoding="utf-8")


@needs_sdk
def test_what_changes_while_it_is_built_is_built_again(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {name: text for name, text in _FILES.items() if name.startswith("Lib/")})
    library = tmp_path / "Lib" / "Lib.csproj"
    run: Callable[..., object] = projects._run
    for name in ("Factor.cs", "New.cs"):

        def edit(*given: object, name: str = name) -> object:
            done = run(*given)
            library.with_name(name).write_text("namespace Lib;", encoding="utf-8")
            return done

        monkeypatch.setattr(projects, "_run", edit)
        build_project(library, world / "ours")
        assert find_build(library, world / "ours") is None, name


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ('<Compile Include="../Shared/A.cs" />', False),
        ('<Compile Include="Shared/**/*.cs;Other/A?.cs" Exclude="../*.cs" />', False),
        ('<PackageReference Include="TorchSharp" Version="0.*" />', False),
        ("<Import Project=\"$([MSBuild]::GetPathOfFileAbove('Directory.Build.props', '..'))\" />", False),
        ('<Compile Include="../Shared/*.cs" />', True),
        ("<Compile Include='A.cs;../Shared/*.cs' />", True),
        ('<Compile Include="/Shared/*.cs" />', True),
        (r'<Compile Include="C:\Shared\*.cs" />', True),
        ('<Compile Include="Shared/../../*.cs" />', True),
        ('<Compile Include="$(Shared)/*.cs" />', True),
        ('<Compile Include=".hidden/*.cs" />', True),
        ('<Compile Include="obj/*.cs" />', True),
        ('<Import Project="../*.props" />', True),
        ("<Shared>../**/*.cs</Shared>", True),
        ('<Target Name="Write" BeforeTargets="CoreCompile" />', True),
        ('<UsingTask TaskName="Write" AssemblyFile="write.dll" />', True),
        ('<Import Project="local.props" Condition="Exists(\'local.props\')" />', True),
        ("<Words>$([System.IO.File]::ReadAllText('words.txt'))</Words>", True),
    ],
)
def test_a_project_is_built_each_time_where_more_than_is_known_decides(text: str, is_open: bool) -> None:
    assert manifest._has_unknown_inputs(f'<Project Sdk="Microsoft.NET.Sdk">\n  {text}\n</Project>') is is_open
