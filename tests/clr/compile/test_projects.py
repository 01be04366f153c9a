"""A user's project: built outside of its folder, on TorchSharp where it is for that and that is there, else against Bridge.Torch."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest
import torch

import bridge
from bridge.clr.compile.projects import _has_ours, build_project, cache, find_build
from bridge.clr.errors import BuildError
from bridge.clr.find import assemblies

pytestmark = pytest.mark.sdk

_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net8.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings></PropertyGroup>
  <ItemGroup>{references}</ItemGroup>
</Project>
"""
_TORCHSHARP = '<PackageReference Include="TorchSharp" Version="0.107.0" />'
_SOURCE = """using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
namespace Mine;
public class Net : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 2);
    public Net() : base("Net") => RegisterComponents();
    public override Tensor forward(Tensor x) => fc.call(x);
}
"""
_HOOKS = "namespace Lib; public static class Counted { public static object Of() => typeof(Bridge.Hooks.INotAnError); }"
_DATA = (
    'namespace Mine; public static class Other { public static object Load() => TorchSharp.Data.Loader.MNIST("x", 1); }'
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder for a project, on a machine without TorchSharp; the cache is in its parent."""
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    packages = os.environ.get("NUGET_PACKAGES") or Path.home() / ".nuget" / "packages"
    monkeypatch.setenv("NUGET_FALLBACK_PACKAGES", str(packages))  # so that nothing is fetched again
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "packages"))
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine"


@pytest.fixture
def torchsharp_is_here(folder: Path, reference: Path, tmp_path: Path) -> None:
    """Make a package named TorchSharp, with signatures only, in a package source and NuGet's folder of restored packages."""
    source = tmp_path / "source"
    source.mkdir()
    spec = (
        '<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata><id>TorchSharp</id>'
        "<version>0.107.0</version><authors>a</authors><description>d</description></metadata></package>"
    )
    with zipfile.ZipFile(source / "torchsharp.0.107.0.nupkg", "w") as package:
        package.writestr("TorchSharp.nuspec", spec)
        package.write(reference, "lib/net8.0/TorchSharp.dll")
    (tmp_path / "nuget.config").write_text(
        f'<configuration><packageSources><add key="here" value="{source}" /></packageSources></configuration>',
        encoding="utf-8",
    )
    (tmp_path / "packages" / "torchsharp").mkdir(parents=True)


def project(folder: Path, references: str = "", **sources: str) -> Path:
    for name, text in sources.items():
        (folder / f"{name}.cs").write_text(text, encoding="utf-8")
    path = folder / "Mine.csproj"
    path.write_text(_PROJECT.format(references=references), encoding="utf-8")
    return path


def works(model: torch.nn.Module) -> bool:
    x = torch.randn(3, 4)
    result: torch.Tensor = model(x)
    return torch.equal(result, torch.nn.functional.linear(x, model.fc.weight, model.fc.bias))


@pytest.mark.slow
def test_nothing_is_written_into_the_projects_folder_and_a_second_build_is_of_the_same_place(folder: Path) -> None:
    made = project(folder, _TORCHSHARP.replace("TorchSharp", "TorchSharp-cpu"), Net=_SOURCE)
    before = sorted(folder.rglob("*"))
    first = build_project(made, assemblies.folder()[0])
    assert works(bridge.load(first, "Mine.Net"))
    assert sorted(folder.rglob("*")) == before
    (folder / "Net.cs").write_text(_SOURCE.replace("fc.call(x)", "fc.call(x) + 1"), encoding="utf-8")
    assert not works(bridge.load(made, "Mine.Net"))
    assert list((folder.parent / "cache").glob("Mine-*/swapped/bin/Mine/*/Mine.dll")) == [first]


def test_one_file(folder: Path) -> None:
    (folder / "Net.cs").write_text(_SOURCE, encoding="utf-8")
    assert works(bridge.load(folder / "Net.cs", "Mine.Net"))
    assert [path.name for path in folder.iterdir()] == ["Net.cs"]
    assert find_build(folder / "Net.cs", assemblies.folder()[0]) is not None
    (folder / "Net.cs").write_text(_SOURCE.replace("fc.call(x)", "x"), encoding="utf-8")
    assert find_build(folder / "Net.cs", assemblies.folder()[0]) is None


@pytest.mark.slow
def test_a_program_is_built_without_its_native_host(folder: Path) -> None:
    """A training program with its models beside Main: the package with that host may not be on the machine."""
    main = "namespace Mine; internal static class Program { private static void Main() => new Net(); }"
    made = project(
        folder, f"{_TORCHSHARP}</ItemGroup><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup><ItemGroup>"
    )
    (folder / "Net.cs").write_text(_SOURCE, encoding="utf-8")
    (folder / "Program.cs").write_text(main, encoding="utf-8")
    library = build_project(made, assemblies.folder()[0])
    assert not library.with_suffix("").exists()
    assert works(bridge.load(library, "Mine.Net"))


@pytest.mark.usefixtures("torchsharp_is_here")
def test_where_torchsharp_is_the_project_is_built_as_it_is(folder: Path) -> None:
    # Compiles against TorchSharp only, and the model needs nothing of that.
    made = project(folder, _TORCHSHARP, Net=_SOURCE, Other=_DATA)
    library = build_project(made, assemblies.folder()[0])
    assert b"TorchSharp" in library.read_bytes()
    assert b"Bridge.Torch" not in library.read_bytes()
    assert works(bridge.load(library, "Mine.Net"))
    assert find_build(made, assemblies.folder()[0]) == library
    (folder.parent / "packages" / "torchsharp").rename(folder.parent / "gone")
    assert find_build(made, assemblies.folder()[0]) is None


@pytest.mark.usefixtures("torchsharp_is_here")
@pytest.mark.parametrize("refers", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_where_torchsharp_is_a_project_that_uses_ours_is_built_with_ours(folder: Path, refers: bool) -> None:
    """A project that it refers to has a reference to ours, or its own sources need one that nobody has written."""
    if refers:
        hooks = assemblies.folder()[0] / "Bridge.Hooks.dll"
        (folder.parent / "Lib").mkdir()
        library = project(
            folder.parent / "Lib", f'<Reference Include="Bridge.Hooks" HintPath="{hooks}" />', Counted=_HOOKS
        )
        made = project(
            folder, f'{_TORCHSHARP}<ProjectReference Include="{library.rename(library.with_stem("Lib"))}" />'
        )
    else:
        made = project(folder, _TORCHSHARP, Counted=_HOOKS)
    (folder / "Net.cs").write_text(
        _SOURCE.replace("fc.call(x)", "Lib.Counted.Of() is null ? x : fc.call(x)"), encoding="utf-8"
    )
    built = build_project(made, assemblies.folder()[0])
    assert b"Bridge.Torch" in built.read_bytes()
    assert works(bridge.load(built, "Mine.Net"))


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("BRIDGE_CACHE", "{file}", "C# projects are built in {file}, which cannot be written to: "),
        (
            "XDG_CACHE_HOME",
            "{file}",
            "C# projects are built in {file}/torchsharp-bridge/build, which cannot be written to: ",
        ),
        (
            "HOME",
            "{file}",
            "C# projects are built in {file}/.cache/torchsharp-bridge/build, which cannot be written to: ",
        ),
        (
            "HOME",
            "/proc",
            "C# projects are built in /proc/.cache/torchsharp-bridge/build, which cannot be written to: ",
        ),
        ("BRIDGE_CACHE", "{file};b", "MSBuild cannot write to {file};b, which has ';' in its path. "),
    ],
    ids=["its own", "the desktop's", "the home", "a home of the kernel's", "a character of MSBuild's"],
)
def test_a_cache_that_cannot_be_written_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    """Neither may root make a folder in /proc."""
    made = project(folder, Net=_SOURCE)
    for name in ("BRIDGE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value.format(file=made))
    with pytest.raises(BuildError) as caught:
        build_project(made, assemblies.folder()[0])
    assert str(caught.value).startswith(words.format(file=made))
    assert str(caught.value).endswith("Set BRIDGE_CACHE to another folder.")


def test_a_relative_cache_of_the_desktops_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its specification has it."""
    monkeypatch.delenv("BRIDGE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(folder))
    assert cache() == folder / ".cache/torchsharp-bridge/build"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
@pytest.mark.parametrize(
    ("odd", "tools"),
    [('"', ["MSBUILD: error MSB1009: Project file does not exist."]), ("%41", [])],
    ids=["a quote", "a number"],
)
def test_a_path_that_msbuild_does_not_take_is_named(folder: Path, odd: str, tools: list[str]) -> None:
    """By one with a character's number it would compile nothing, and say that this was a success."""
    made = project(folder, Net=_SOURCE)
    there = folder / f"a{odd}b"
    there.mkdir()
    made = made.rename(there / made.name)
    with pytest.raises(BuildError) as caught:
        build_project(made, assemblies.folder()[0])
    words = f"{made} does not build: {odd!r} in a path has a special meaning for MSBuild. Rename the file or folder."
    assert str(caught.value).splitlines() == [words, *tools]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
@pytest.mark.parametrize(("name", "suffix"), [("a;b,c", ".csproj"), ("a%41;b", ".cs")])
def test_odd_names_and_odd_folders_for_temporary_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, suffix: str
) -> None:
    """Leave what is left of a build in the cache alone."""
    there = folder / f"c$(d); e{'%41' if suffix == '.cs' else ''}"
    there.mkdir()
    project(there, Net=_SOURCE)
    made = there / f"{name}{suffix}"
    (there / ("Net.cs" if suffix == ".cs" else "Mine.csproj")).rename(made)
    temporary = folder / 'x;y"%41'
    temporary.mkdir()
    for variable in ("TMPDIR", "NUGET_SCRATCH"):
        monkeypatch.setenv(variable, str(temporary if variable == "TMPDIR" else folder.parent / "scratch"))
    assert works(bridge.load(build_project(made, assemblies.folder()[0]), "Mine.Net"))
    assert list(temporary.iterdir()) == []
    assert not list((folder.parent / "cache").rglob("temporary"))


@pytest.mark.subprocess
def test_too_few_files_for_the_sdk(folder: Path) -> None:
    """MSBuild itself would hang, or name one of its own files."""
    import resource  # POSIX alone

    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    with pytest.raises(BuildError) as raised:
        build_project(project(folder, Net=_SOURCE), assemblies.folder()[0])
    assert str(raised.value) == (
        "The limit of open files is 128, and the .NET SDK needs 256: raise the hard limit, for instance by `ulimit -n 1024` as root."
    )


def test_whose_references_are_ours() -> None:
    for references, ours in (
        (["TorchSharp-cpu", "Bridge.Torch"], True),
        (["bridge.hooks"], True),
        (["Bridge.Torch, Version=1.0.0.0"], True),
        (["../lib/Bridge.Torch.dll"], True),
        (["C:\\lib\\Bridge.Torch.dll"], True),
        (["TorchSharp", "Bridge.TorchSharp", "Bridge.Hooks"], False),
        (["TorchSharp", "Mine.Bridge.Torch"], False),
        ([], False),
    ):
        assert _has_ours(references) is ours, references


def test_what_bridge_torch_lacks_is_named_with_what_to_do(folder: Path) -> None:
    made = project(folder, _TORCHSHARP, Net=_SOURCE, Other=_DATA)
    with pytest.raises(BuildError) as caught:
        bridge.load(made, "Mine.Net")
    said = str(caught.value)
    for words in (
        "replaces TorchSharp here",
        "lacks Data",
        "on a machine that has TorchSharp",
        "load the .dll",
        "class library",
    ):
        assert words in said
    assert re.search(r"Other\.cs\(1,\d+\): error CS0234: ", said)


@pytest.mark.slow
def test_an_error_of_the_users_own_is_not_laid_on_us(folder: Path) -> None:
    made = project(folder, _TORCHSHARP, Net=_SOURCE, Other='namespace Mine; public class Other { int x = "text"; }')
    with pytest.raises(BuildError, match=r"^Mine\.csproj does not compile:\n.*Other\.cs.*CS0029"):
        bridge.load(made, "Mine.Net")


def test_a_failed_restore_is_called_one(folder: Path) -> None:
    shutil.rmtree(folder.parent / "cache", ignore_errors=True)
    (folder / "nuget.config").write_text("<configuration><packageSources><clear /></packageSources></configuration>")
    made = project(folder, '<PackageReference Include="Nobody.Has.This" Version="1.0.0" />', Net=_SOURCE)
    with pytest.raises(BuildError, match=r"^Mine\.csproj cannot be restored: .*\n.*Nobody\.Has\.This"):
        bridge.load(made, "Mine.Net")
