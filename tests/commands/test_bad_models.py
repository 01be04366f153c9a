"""A model that cannot be made ends with exit code 2 and a message that names it: no traceback, no crash."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from bridge.clr.find import assemblies

Compare = Callable[..., Result]
Refused = Callable[..., None]

_CSPROJ = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <NuGetAudit>false</NuGetAudit>
    <PlatformTarget>{platform}</PlatformTarget>
    <AssemblyName>{name}</AssemblyName>
    <EnableDefaultCompileItems>false</EnableDefaultCompileItems>
  </PropertyGroup>
  <ItemGroup>
    <Compile Include="{name}.cs" />
    <PackageReference Include="TorchSharp-cpu" Version="0.107.0" />
  </ItemGroup>
</Project>
"""
_NET = """using static TorchSharp.torch;
using static TorchSharp.torch.nn;
namespace {name};
public class Net : Module<Tensor, Tensor>
{{
    public Net() : base("Net") {{ {body} }}
    public override Tensor forward(Tensor x) => x;
}}
"""


def project(folder: Path, name: str, body: str = "", *, platform: str = "AnyCPU") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.csproj").write_text(_CSPROJ.format(name=name, platform=platform), encoding="utf-8")
    (folder / f"{name}.cs").write_text(_NET.format(name=name, body=body), encoding="utf-8")
    return folder / f"{name}.csproj"


@pytest.fixture
def against(command: Callable[..., Result]) -> Compare:
    """Return a function that compares a ReLU with a C# model: ``against("path:Type")``."""

    def run(dotnet: object, *args: object) -> Result:
        return command("compare", "--python", "torch.nn:ReLU", "--dotnet", dotnet, "--shape", "1,3", *args)

    return run


# -- Assemblies and projects --------------------------------------------------------------------------------------------


def test_a_dll_that_is_missing(refused: Refused, against: Compare, tmp_path: Path) -> None:
    refused(against(f"{tmp_path}/gone.dll:A.B"), "no file", "gone.dll")


@pytest.mark.dotnet
@pytest.mark.parametrize("content", [b"", b"MZ", b"no assembly at all", b"\x7fELF" + bytes(200)])
def test_a_dll_that_is_not_dotnet(refused: Refused, against: Compare, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "native.dll").write_bytes(content)
    refused(against(f"{tmp_path}/native.dll:A.B"), "native.dll is not a .NET assembly.")


@pytest.mark.dotnet
def test_a_native_windows_dll(refused: Refused, against: Compare, tmp_path: Path) -> None:
    """A right PE file, with no .NET in it: the header's pointer to .NET's part is cut out of one of ours."""
    code = bytearray(assemblies.sample("Mtcnn.dll").read_bytes())
    header = int.from_bytes(code[0x3C:0x40], "little")
    directories = header + 24 + (96 if code[header + 24 : header + 26] == b"\x0b\x01" else 112)
    code[directories + 14 * 8 : directories + 15 * 8] = bytes(8)
    (tmp_path / "native.dll").write_bytes(code)
    refused(against(f"{tmp_path}/native.dll:A.B"), "native.dll is not a .NET assembly.")


@pytest.mark.sdk
def test_a_dll_for_another_architecture(refused: Refused, against: Compare, tmp_path: Path) -> None:
    other = "x64" if os.uname().machine.lower() in ("arm64", "aarch64") else "ARM64"
    path = project(tmp_path / "other", "Other", platform=other)
    refused(against(f"{path}:Other.Net"), "Other.dll is built for", "Build it for AnyCPU")


@pytest.mark.dotnet
def test_a_dll_for_a_newer_framework(refused: Refused, against: Compare, tmp_path: Path) -> None:
    """A real one needs a newer SDK than any here, so the version of System.Runtime that one of ours requests is raised."""
    code = assemblies.sample("Mtcnn.dll").read_bytes()
    version = b"".join(number.to_bytes(2, "little") for number in (8, 0, 0, 0))
    found = [at for at in range(len(code)) if code.startswith(version, at)]
    assert found
    done = None
    for at in found:
        (tmp_path / "Newer.dll").write_bytes(code[:at] + (99).to_bytes(2, "little") + code[at + 2 :])
        done = against(f"{tmp_path}/Newer.dll:Mtcnn.PNet")
        if "built for .NET 99" in done.stderr:
            break
    assert done is not None
    refused(done, "Newer.dll is built for .NET 99 and this process runs .NET", "Build it for net")


@pytest.mark.dotnet
def test_an_assembly_whose_dependencies_are_missing(
    refused: Refused, against: Compare, build_csharp: Callable[..., Path], tmp_path: Path
) -> None:
    # Of a name that no other test's library has: pythonnet gives what any model of the process has loaded under it.
    library = build_csharp({"Absent.cs": _NET.format(name="Absent", body="")}, "Absent")
    body = "_ = typeof(Absent.Net).Name; Make(); } static void Make() { _ = new Absent.Net();"
    ours = [assemblies.folder()[0] / f"Bridge.{name}.dll" for name in ("Hooks", "Torch")]
    user = build_csharp({"User.cs": _NET.format(name="User", body=body)}, "User", against=[*ours, library])
    done = against(f"{user}:User.Net")
    refused(done, "User.dll needs the assembly Absent, Version=1.0.0.0", "neither next to it nor part of .NET")
    # There, but another assembly under that file name: .NET cannot load it.
    for name in ("User", "Absent"):
        shutil.copy(user, tmp_path / f"{name}.dll")
    done = against(f"{tmp_path / 'User.dll'}:User.Net")
    refused(done, "User.dll needs the assembly Absent, Version=1.0.0.0", "which cannot be loaded: ")


@pytest.mark.sdk
def test_a_project_that_does_not_compile(refused: Refused, against: Compare, tmp_path: Path) -> None:
    path = project(tmp_path / "broken", "Broken", "int x = nonsense;")
    refused(
        against(f"{path}:Broken.Net"), "Broken.csproj does not compile", "Broken.cs(6,", "error CS0103", "'nonsense'"
    )


def test_names_of_no_csharp_model(refused: Refused, against: Compare) -> None:
    for text in ("Model.dll", "Model.so:A.B", "Model.dll:A.B(1", ":A.B"):
        refused(against(text), f"'{text}' does not name a C# model: write FILE.dll:NAMESPACE.CLASS")
    refused(against("Model.dll:A.B(size)"), "the arguments (size) of 'Model.dll:A.B(size)' are not literals")


# -- Types and constructors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("Ports.Nett", ["has no type 'Ports.Nett'", "Did you mean Ports.Net", "Module types of the assembly: "]),
        ("Masked", ["has no type 'Masked'. Did you mean Ports.Masked?"]),
        ("Other.Bypasing", ["Did you mean Ports.Bypassing?"]),
        ("Ports.Zebra", ["has no type 'Ports.Zebra'. Module types of the assembly: Ports."]),
        ("Ports.Unfinished", ["is abstract and cannot be created"]),
        ("Ports.NoModule", ["is not a module: it does not derive from torch.nn.Module"]),
        ("Ports.Block", ["match no constructor of Ports.Block. It has: Block(string how)"]),
        ("Ports.Block(1)", ["The arguments (1) match no constructor"]),
        ("Ports.Net(0.1, 2)", ["match no constructor of Ports.Net. It has: Net(double momentum = 0.1)"]),
        (
            "Ports.Thrower(3)",
            ["System.ArgumentOutOfRangeException: must be positive", "Ports.Thrower..ctor(Int64 size)"],
        ),
    ],
)
def test_a_type_that_cannot_be_made(
    refused: Refused, against: Compare, ports: Path, target: str, words: list[str]
) -> None:
    refused(against(f"{ports}:{target}"), *words)


@pytest.mark.usefixtures("unwarned")
def test_a_class_that_leaves_registration_to_its_parent_is_compared(against: Compare, ports: Path) -> None:
    with pytest.warns(UserWarning, match=r"Ports\.Forgetful holds 'child' but its constructor registers nothing"):
        done = against(f"{ports}:Ports.Forgetful")
    assert (
        "child.weight: dotnet has it, pytorch does not" in done.output
    )  # it is another model than the one it is compared with


def test_a_module_that_registers_nothing_and_forgot_nothing(against: Compare, ports: Path) -> None:
    """A field for a tensor that is not a buffer."""
    done = against(f"{ports}:Ports.Remembering")
    assert done.exit_code == 0, done.output


# -- Factories ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("ports:raising", ["calling ports:raising raised ValueError: the checkpoint is gone (ports.py, line "]),
        ("ports:exiting", ["calling ports:exiting raised SystemExit: 7"]),
        ("ports:needy", ["raised TypeError", "missing 1 required positional argument: 'size'"]),
        ("ports:needy(true, null)", ["raised TypeError"]),
        ("ports:dict", ["ports has no 'dict'"]),
        ("builtins:dict", ["builtins:dict returned a dict, not a torch.nn.Module"]),
        ("ports:number", ["ports:number is an int: name a class, or a function that returns a torch.nn.Module."]),
        ("ports:Nett", ["ports has no 'Nett'. Did you mean Net?"]),
        ("ports:Net.forwad", ["Did you mean forward?"]),
        ("portz:Net", ["there is no Python module portz. Did you mean ports?"]),
        ("torch.nnn:ReLU", ["there is no Python module torch.nnn. Did you mean torch.nn"]),
        ("ports.inner:Net", ["there is no Python module ports.inner. ports is not a package"]),
        ("ports", ["does not name a PyTorch model: write FILE.py:CLASS or PACKAGE.MODULE:CLASS"]),
        ("not a name:x", ["does not name a PyTorch model"]),
    ],
)
def test_a_factory_that_gives_no_model(refused: Refused, command: Compare, target: str, words: list[str]) -> None:
    done = command("compare", "--python", target, "--dotnet", "x.dll:A.B", "--shape", "1,3")
    refused(done, *words)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "import nowhere_at_all",
            "importing faulty raised ModuleNotFoundError: No module named 'nowhere_at_all' (faulty.py, line 1)",
        ),
        ("\nraise OSError('no disk')", "importing faulty raised OSError: no disk (faulty.py, line 2)"),
        ("def f(:", "importing faulty raised SyntaxError: "),
        ("import sys; sys.exit(3)", "importing faulty raised SystemExit: 3"),
    ],
)
def test_a_module_that_cannot_be_imported(
    refused: Refused, command: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, words: str
) -> None:
    (tmp_path / "faulty.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "faulty", raising=False)
    refused(command("compare", "--python", "faulty:f", "--dotnet", "x.dll:A.B", "--shape", "1,3"), words)
