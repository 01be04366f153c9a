"""bridge.load: files, types, constructors, projects."""

from __future__ import annotations

import functools
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge

Load = Callable[..., bridge.Mirror]


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("Nothing", (), r"has no type 'Models\.Nothing'.*Module types of the assembly: Models\."),
        ("NoModule", (), "is not a module"),
        ("Unfinished", (), "is abstract"),
        ("Deep", (), r"match no constructor of Models\.Deep\. It has: Deep\(long classes\)"),
        ("Deep", ("ten",), r"match no constructor of Models\.Deep"),
        ("Deep", (1, 2), r"match no constructor of Models\.Deep"),
        ("BadConstructor", (), "must be positive"),
    ],
)
def test_what_cannot_be_made_is_named(load: Load, name: str, args: tuple[object, ...], message: str) -> None:
    with pytest.raises(bridge.DotNetError, match=message):
        load(name, *args)


@pytest.fixture(params=["dotnet", "torchsharp"])
def load_named(
    request: pytest.FixtureRequest, build_csharp: Callable[..., Path], torchsharp: Path
) -> Callable[..., torch.nn.Module]:
    """Load what Named.cs names, compiled for TorchSharp: in this process, and on TorchSharp in its own."""
    source = (Path(__file__).parent / "named" / "Named.cs").read_text(encoding="utf-8")
    file = build_csharp({"Named.cs": source}, "Named", against=[torchsharp])
    runtime = f"torchsharp:{torchsharp}" if request.param == "torchsharp" else request.param
    return functools.partial(bridge.load, file, runtime=runtime)


@pytest.mark.parametrize(
    "name",
    ["Named.zoo.models.net18", "Named.zoo+models.net18", "Named.zoo.models.net34", "Named.zoo.Net", "Named.zoo+Net"],
)
def test_a_nested_class_is_named_as_csharp_names_it(load_named: Callable[..., torch.nn.Module], name: str) -> None:
    arguments = {"classes" if name.endswith("Net") else "num_classes": 10}
    model = load_named(name, **arguments)
    assert model.get_parameter("fc.weight").shape == (10, 4)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Named.zoo.models.net19", r"no type .*Did you mean Named\.zoo\.models\.net18\?"),
        ("zoo.models.net34", r"no type .*Did you mean Named\.zoo\.models\.net34"),
        ("net18", r"no type 'net18'\. Did you mean Named\.zoo\.models\.net18\?"),
        ("named.ZOO.net", r"no type .*Did you mean Named\.zoo\.Net\?"),
        ("Named.zoo.Nett", r"no type .*Did you mean Named\.zoo\.Net"),
        (
            "Named.zoo.models.count",
            r"Named\.zoo\.models\.count'.*Static methods of the assembly that return a module: Named\.zoo\.models\.net18",
        ),
        (
            "Named.zoo.models",
            r"is not a module.*Static methods of the assembly that return a module: Named\.zoo\.models\.net18",
        ),
        ("Named.zoo.models.nothing", r"Named\.zoo\.models\.nothing returned null\."),
    ],
)
def test_what_there_is_instead_of_a_name_is_told(
    load_named: Callable[..., torch.nn.Module], name: str, message: str
) -> None:
    with pytest.raises(bridge.DotNetError, match=message):
        load_named(name)


@pytest.mark.usefixtures("unwarned")
def test_a_class_that_registers_nothing_is_registered_with_a_warning(load: Load) -> None:
    """Most such classes leave it to the parent that they were written for."""
    with pytest.warns(
        UserWarning, match=r"Models\.Forgetful holds 'child' but its constructor registers nothing"
    ) as caught:
        model = load("Forgetful")
    assert caught[0].filename == load.__code__.co_filename or caught[0].filename == __file__
    assert list(model.state_dict()) == ["child.weight", "child.bias"]


@pytest.mark.usefixtures("unwarned")
def test_a_warning_is_given_once_for_a_class_of_an_assembly(load: Load) -> None:
    with pytest.warns(UserWarning, match="Forgetful"):
        load("Forgetful")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load("Forgetful")


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"gone\.dll"):
        bridge.load(tmp_path / "gone.dll", "A.B")
    (tmp_path / "model.txt").write_text("")
    with pytest.raises(ValueError, match="neither an assembly"):
        bridge.load(tmp_path / "model.txt", "A.B")


def test_a_file_that_is_not_an_assembly(dotnet: object, tmp_path: Path) -> None:
    (tmp_path / "broken.dll").write_bytes(b"no assembly at all")
    with pytest.raises(bridge.DotNetError, match="BadImageFormat"):
        bridge.load(tmp_path / "broken.dll", "A.B")


def test_a_copy_of_our_assemblies_beside_the_model_is_not_loaded(models: Path, tmp_path: Path) -> None:
    from bridge.clr.find.assemblies import folder

    ours, _ = folder()
    for name in ("Bridge.Torch.dll", "Bridge.Hooks.dll"):
        shutil.copy(ours / name, tmp_path / name)
    shutil.copy(models, tmp_path / "Models.dll")
    model = bridge.load(tmp_path / "Models.dll", "Models.Pair")
    assert model(torch.ones(1, 3)).shape == (1, 3)


def test_two_builds_of_one_assembly_live_side_by_side(models: Path, tmp_path: Path) -> None:
    old = bridge.load(models, "Models.Pair")
    copied = tmp_path / models.name
    shutil.copy(models, copied)
    new = bridge.load(copied, "Models.Pair")
    new.load_state_dict(old.state_dict())
    x = torch.ones(1, 3)
    assert torch.equal(old(x), new(x))


_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="TorchSharp-cpu" Version="0.107.0" />
  </ItemGroup>
</Project>
"""
_LIBRARY = "namespace Lib; public static class Factor { public static float Value() => VALUE; }"
_USER = """using TorchSharp;
using static TorchSharp.torch;
namespace Mine;
public class Net : nn.Module<Tensor, Tensor>
{
    public Net() : base("Net") => RegisterComponents();
    public override Tensor forward(Tensor x) => x * Lib.Factor.Value();
}
"""


@pytest.mark.sdk
@pytest.mark.slow
def test_an_edit_of_a_project_that_the_model_refers_to_is_seen(
    sdk: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model's own assembly stays as it was; what was loaded before goes on with the old code."""
    monkeypatch.setenv("BRIDGE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "Lib").mkdir()
    (tmp_path / "Lib" / "Lib.csproj").write_text(
        _PROJECT.replace('<PackageReference Include="TorchSharp-cpu" Version="0.107.0" />', ""), encoding="utf-8"
    )
    (tmp_path / "Lib" / "Factor.cs").write_text(_LIBRARY.replace("VALUE", "2f"), encoding="utf-8")
    (tmp_path / "Mine").mkdir()
    reference = '<ProjectReference Include="../Lib/Lib.csproj" />'
    (tmp_path / "Mine" / "Mine.csproj").write_text(
        _PROJECT.replace("  </ItemGroup>", f"    {reference}\n  </ItemGroup>"), encoding="utf-8"
    )
    (tmp_path / "Mine" / "Net.cs").write_text(_USER, encoding="utf-8")
    old = bridge.load(tmp_path / "Mine" / "Mine.csproj", "Mine.Net")
    assert old(torch.ones(1)).item() == 2
    (main,) = (tmp_path / "cache").glob("Mine-*/*/bin/Mine/*/Mine.dll")
    before = main.read_bytes()
    (tmp_path / "Lib" / "Factor.cs").write_text(_LIBRARY.replace("VALUE", "3f"), encoding="utf-8")
    new = bridge.load(tmp_path / "Mine" / "Mine.csproj", "Mine.Net")
    assert main.read_bytes() == before, "the fault shows only where the model's assembly is not compiled anew"
    assert (old(torch.ones(1)).item(), new(torch.ones(1)).item()) == (2, 3)
