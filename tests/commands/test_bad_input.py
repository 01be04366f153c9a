"""What cannot run ends with exit code 2 and a message that names the thing: no traceback, no dead process."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import Result

from bridge.clr import assemblies

Compare = Callable[..., Result]

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
    {items}
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


def project(folder: Path, name: str, body: str = "", *, platform: str = "AnyCPU", items: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.csproj").write_text(_CSPROJ.format(name=name, platform=platform, items=items))
    (folder / f"{name}.cs").write_text(_NET.format(name=name, body=body))
    return folder / f"{name}.csproj"


@pytest.fixture
def against(command: Callable[..., Result]) -> Compare:
    """``against("path:Type")``: a ReLU against that C# model."""

    def run(dotnet: object, *args: object) -> Result:
        return command("compare", "--python", "torch.nn:ReLU", "--dotnet", dotnet, "--shape", "1,3", *args)

    return run


def refused(done: Result, *words: str) -> None:
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr


# -- Assemblies and projects -------------------------------------------------------------------------------------------


def test_a_dll_that_is_missing(against: Compare, tmp_path: Path) -> None:
    refused(against(f"{tmp_path}/gone.dll:A.B"), "no file", "gone.dll")


@pytest.mark.dotnet
@pytest.mark.parametrize("content", [b"", b"MZ", b"no assembly at all", b"\x7fELF" + bytes(200)])
def test_a_dll_that_is_not_dotnet(against: Compare, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "native.dll").write_bytes(content)
    refused(against(f"{tmp_path}/native.dll:A.B"), "native.dll is no .NET assembly.")


@pytest.mark.dotnet
def test_a_native_windows_dll(against: Compare, tmp_path: Path) -> None:
    """A right PE file, with no .NET in it: the header's pointer to .NET's part is cut out of one of ours."""
    code = bytearray(assemblies.sample("Mtcnn.dll").read_bytes())
    header = int.from_bytes(code[0x3C:0x40], "little")
    directories = header + 24 + (96 if code[header + 24 : header + 26] == b"\x0b\x01" else 112)
    code[directories + 14 * 8 : directories + 15 * 8] = bytes(8)
    (tmp_path / "native.dll").write_bytes(code)
    refused(against(f"{tmp_path}/native.dll:A.B"), "native.dll is no .NET assembly.")


@pytest.mark.sdk
def test_a_dll_for_another_architecture(against: Compare, tmp_path: Path) -> None:
    other = "x64" if os.uname().machine.lower() in ("arm64", "aarch64") else "ARM64"
    path = project(tmp_path / "other", "Other", platform=other)
    refused(against(f"{path}:Other.Net"), "Other.dll is built for", "Build it for AnyCPU")


@pytest.mark.dotnet
def test_a_dll_for_a_newer_framework(against: Compare, tmp_path: Path) -> None:
    """The real thing needs a newer SDK than any here: the version that one of ours asks System.Runtime for is raised."""
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


@pytest.mark.sdk
def test_an_assembly_whose_dependencies_are_missing(against: Compare, tmp_path: Path) -> None:
    library = project(tmp_path / "lib", "Lib")
    user = tmp_path / "user"
    reference = f'<ProjectReference Include="{library}" Private="false" />'
    path = project(
        user, "User", "_ = typeof(Lib.Net).Name; Make(); } static void Make() { _ = new Lib.Net();", items=reference
    )
    done = against(f"{path}:User.Net")
    refused(done, "User.dll needs the assembly Lib, Version=1.0.0.0", "neither beside it nor part of .NET")


@pytest.mark.sdk
def test_a_project_that_does_not_compile(against: Compare, tmp_path: Path) -> None:
    path = project(tmp_path / "broken", "Broken", "int x = nonsense;")
    refused(
        against(f"{path}:Broken.Net"), "Broken.csproj does not compile:", "Broken.cs(6,", "error CS0103", "'nonsense'"
    )


def test_what_names_no_csharp_model(against: Compare) -> None:
    for text in ("Model.dll", "Model.so:A.B", "Model.dll:A.B(1", ":A.B"):
        refused(against(text), f"'{text}' names no C# model: write PATH.dll:NAMESPACE.TYPE")
    refused(against("Model.dll:A.B(size)"), "the arguments (size) of 'Model.dll:A.B(size)' are no literals")


# -- Types and constructors --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("Ports.Nett", ["has no type 'Ports.Nett'", "Did you mean Ports.Net", "Its module types: "]),
        ("Masked", ["has no type 'Masked'. Did you mean Ports.Masked?"]),
        ("Other.Bypasing", ["Did you mean Ports.Bypassing?"]),
        ("Ports.Zebra", ["has no type 'Ports.Zebra'. Its module types: Ports."]),
        ("Ports.Unfinished", ["is abstract and cannot be made"]),
        ("Ports.NoModule", ["is no module: it does not derive from torch.nn.Module"]),
        ("Ports.Block", ["fit no constructor of Ports.Block. It has: Block(String how)"]),
        ("Ports.Block(1)", ["The 1 argument(s) [1] fit no constructor"]),
        ("Ports.Net(0.1, 2)", ["fit no constructor of Ports.Net. It has: Net(Double momentum = …)"]),
        (
            "Ports.Thrower(3)",
            ["System.ArgumentOutOfRangeException: must be positive", "Ports.Thrower..ctor(Int64 size)"],
        ),
        ("Ports.Forgetful", ["holds 'child' but registered nothing: call RegisterComponents()"]),
    ],
)
def test_a_type_that_cannot_be_made(against: Compare, ports: Path, target: str, words: list[str]) -> None:
    refused(against(f"{ports}:{target}"), *words)


# -- Factories ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("ports:raising", ["the factory ports:raising raised ValueError: the checkpoint is gone (ports.py, line "]),
        ("ports:leaving", ["the factory ports:leaving raised SystemExit: 7"]),
        ("ports:needy", ["raised TypeError", "missing 1 required positional argument: 'size'"]),
        ("ports:needy(true, null)", ["raised TypeError"]),
        ("ports:dict", ["ports has no 'dict'"]),
        ("builtins:dict", ["the factory builtins:dict returned a dict, no torch.nn.Module"]),
        ("ports:number", ["ports:number is a int, no factory"]),
        ("ports:Nett", ["ports has no 'Nett'. Did you mean Net?"]),
        ("ports:Net.forwad", ["Did you mean forward?"]),
        ("portz:Net", ["there is no Python module portz. Did you mean ports?"]),
        ("torch.nnn:ReLU", ["there is no Python module torch.nnn. Did you mean nn"]),
        ("ports.inner:Net", ["there is no Python module ports.inner. ports is no package"]),
        ("ports", ["names no PyTorch model: write PKG.MOD:FACTORY"]),
        ("not a name:x", ["names no PyTorch model"]),
    ],
)
def test_a_factory_that_gives_no_model(command: Compare, target: str, words: list[str]) -> None:
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
    command: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, words: str
) -> None:
    (tmp_path / "faulty.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "faulty", raising=False)
    refused(command("compare", "--python", "faulty:f", "--dotnet", "x.dll:A.B", "--shape", "1,3"), words)


# -- Weights, inputs, results ------------------------------------------------------------------------------------------


def test_weights_that_do_not_fit_are_all_listed(compare: Compare, tmp_path: Path) -> None:
    """Names, shapes and dtypes at once."""
    done = compare("Net(0.1, 7)", "Masked")
    refused(done, "weights do not fit, nothing was loaded:", "conv.weight: pytorch has it, dotnet does not")
    assert "fc.bias: dotnet has it, pytorch does not" in done.stderr
    done = compare("Net(0.1, 7)", "Net", "--weights", "dotnet")
    refused(done, "1 weight does not fit", "head.weight: shape [2, 144] in dotnet, [2, 7] in pytorch")


def test_a_weights_file_that_does_not_fit(compare: Compare, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    path = tmp_path / "w.safetensors"
    save_file({"fc.weight": torch.zeros(3, 3, dtype=torch.float64), "extra": torch.zeros(1)}, path)
    done = compare("Masked", "Masked", "--weights", path, shape="2,3")
    for side in ("pytorch", "dotnet"):
        assert f"fc.weight: dtype float64 in {path}, float32 in {side}" in done.stderr
        assert f"extra: {path} has it, {side} does not" in done.stderr
        assert f"fc.bias: {side} has it, {path} does not" in done.stderr
    refused(done, "6 weights do not fit, nothing was loaded:")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("w.safetensors", b"not one", "is no safetensors file that can be read"),
        ("w.safetensors", None, "there is no weights file"),
        ("w.pt", b"", "weights are none, python, dotnet or a .safetensors file, not"),
    ],
)
def test_a_weights_file_that_is_none(
    compare: Compare, tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused(compare("Masked", "Masked", "--weights", tmp_path / name), words)


def test_an_input_of_the_wrong_rank(compare: Compare) -> None:
    done = compare("Net", "Net", shape="3,8")
    refused(done, "pytorch: conv (Conv2d) raised RuntimeError: ", "The inputs were x=float32[3, 8].")


def test_an_input_of_the_wrong_dtype(compare: Compare, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((1, 3, 8, 8)))
    done = compare("Net", "Net", "--input", tmp_path / "x.npy")
    refused(done, "pytorch: conv (Conv2d) raised RuntimeError: ", "The inputs were x=float64[1, 3, 8, 8].")


def test_an_input_that_only_the_port_refuses(compare: Compare) -> None:
    done = compare("Block", 'Block("throw")', shape="1,4,8,8")
    refused(
        done,
        "dotnet: the root (Block) raised System.InvalidOperationException: no good today",
        "at Ports.Block.forward",
    )


def test_inputs_of_the_wrong_number(compare: Compare, tmp_path: Path) -> None:
    refused(
        compare("Net", "Net", "--shape", "1,3,8,8", "--shape", "1"),
        "the inputs do not fit forward(x) of Net: too many positional arguments",
    )
    np.savez(tmp_path / "x.npz", y=np.ones(3))
    refused(
        compare("Net", "Net", "--input", tmp_path / "x.npz"),
        "of Net: missing a required argument: 'x'. Given: y=float64[3].",
    )
    refused(
        compare("Masked", "Net", "--weights", "none", "--shape", "2,3", "--shape", "2,3"),
        "has no room for the 2 arguments (x, mask)",
    )


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.npy", b"nothing", "cannot be read as a NumPy file"),
        ("x.npz", b"PK\x03\x04nothing", "cannot be read as a NumPy file"),
        ("x.npy", None, "there is no input file"),
        ("x.csv", b"1,2", "is neither .npy nor .npz"),
    ],
)
def test_an_input_file_that_is_none(
    compare: Compare, tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused(compare("Net", "Net", "--input", tmp_path / name), words)


def test_an_input_file_runs_nothing(compare: Compare, tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    np.save(tmp_path / "x.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    refused(compare("Net", "Net", "--input", tmp_path / "x.npy"), "cannot be read as a NumPy file")
    assert not (tmp_path / "ran").exists()


def test_an_input_of_a_dtype_that_torch_lacks(compare: Compare, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array(["text"]))
    refused(compare("Net", "Net", "--input", tmp_path / "x.npy"), "torch has no dtype for NumPy's <U4")


@pytest.mark.parametrize("shape", ["", "1,,2", "1,-3", "a", "1.5"])
def test_a_shape_that_is_none(compare: Compare, shape: str) -> None:
    refused(compare("Net", "Net", "--shape", shape), f"'{shape}' is no shape")


def test_no_inputs_and_both_kinds(compare: Compare, command: Compare) -> None:
    done = command("compare", "--python", "ports:Net", "--dotnet", "x.dll:A.B")
    refused(done, "give the model's inputs")
    refused(compare("Net", "Net", "--shape", "1", "--input", "x.npy"), "not both")


@pytest.mark.parametrize(
    ("factory", "words"),
    [
        ("odd", "pytorch: the model returns a object, which cannot be compared"),
        ("silent", "pytorch: the model returns (None, 1.5), and no tensor"),
    ],
)
def test_a_model_that_returns_something_else(compare: Compare, factory: str, words: str) -> None:
    refused(compare(factory, "Net", "--weights", "none"), words)


def test_a_port_that_returns_something_else(compare: Compare) -> None:
    refused(compare("silent", "Talker", "--weights", "none"), "and no tensor")
    done = compare("Masked", "Talker", "--weights", "none", shape="2,3")
    refused(done, "dotnet: the model returns 'no tensor', and no tensor")


# -- Machines, devices, outputs ----------------------------------------------------------------------------------------


def test_no_cuda_device(compare: Compare) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    refused(compare("Net", "Net", "--device", "cuda"), "there is no CUDA device: torch")


def test_an_output_that_cannot_be_written_is_told_before_the_work(compare: Compare, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for option in ("--json", "--html"):
        refused(compare("raising", "Net", option, tmp_path / "gone" / "a"), "cannot be written: there is no folder")
        refused(compare("raising", "Net", option, tmp_path / "file" / "a"), "cannot be written: there is no folder")
    done = compare("Net", "Net", "--json", tmp_path / "folder")
    assert done.exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.skipif(os.name != "posix", reason="the limit on a file's size is POSIX's")
def test_a_disk_that_is_full_half_way_leaves_no_half_file(
    in_process: Callable[..., Any], ports: Path, tmp_path: Path
) -> None:
    """The limit on the size of a file stands for the full disk: the write fails in the middle of the page.

    .NET would count its own memory for code as a file, so that is switched off.
    """
    (tmp_path / "old.html").write_text("the old page")
    code = (
        "import resource, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parents[1] / 'porting')!r})\n"
        "import ports, bridge.mirror, safetensors\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "from bridge.cli import main\n"
        f"main(['compare', '--python', 'ports:Net', '--dotnet', {f'{ports}:Ports.Net'!r}, '--shape', '1,3,8,8',\n"
        f"      '--html', {str(tmp_path / 'old.html')!r}])"
    )
    done = in_process(code, env={"PYTHONDONTWRITEBYTECODE": "1", "DOTNET_EnableWriteXorExecute": "0"})
    assert done.returncode == 2, done.stderr
    assert done.stderr == f"cannot run: {tmp_path / 'old.html'} cannot be written: File too large.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["old.html"]
    assert (tmp_path / "old.html").read_text() == "the old page"


def test_the_json_says_why_it_could_not_run(compare: Compare, tmp_path: Path) -> None:
    done = compare("raising", "Net", "--json", tmp_path / "a.json")
    assert done.exit_code == 2
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["verdict"] == "could not run"
    assert found["error"]["type"] == "TargetError"
    assert "the checkpoint is gone" in found["error"]["message"]
    assert json.loads(compare("raising", "Net", "--json", "-").stdout) == found


@pytest.mark.dotnet
def test_a_torch_that_is_too_old(in_process: Callable[..., Any]) -> None:
    """Only the version's text is old: an older torch does not install beside this one."""
    target = f"{assemblies.sample('Mtcnn.dll')}:Mtcnn.PNet"
    code = (
        "import torch; torch.__version__ = '2.9.1+cpu'\n"
        "from bridge.cli import main\n"
        f"main(['compare', '--python', 'bridge.samples.mtcnn:PNet', '--dotnet', {target!r}, '--shape', '1,3,12,12'])"
    )
    done = in_process(code)
    assert done.returncode == 2
    assert done.stderr == (
        "cannot run: torch 2.9.1+cpu is too old: its C functions came with 2.10. pip install 'torch>=2.10'\n"
    )


def test_a_dotnet_that_is_too_old(process: Callable[..., Any], dotnet: Any, tmp_path: Path) -> None:
    """An installation whose only runtime is .NET 7: the folders are real, the runtime in them is not."""
    old = tmp_path / "old"
    runtime = old / "shared" / "Microsoft.NETCore.App" / "7.0.20"
    runtime.mkdir(parents=True)
    (runtime / "System.Private.CoreLib.dll").write_bytes(b"")
    shutil.copytree(dotnet.root / "host", old / "host")
    target = f"{assemblies.sample('Mtcnn.dll')}:Mtcnn.PNet"
    done = process(
        "compare", "--python", "bridge.samples.mtcnn:PNet", "--dotnet", target, "--shape", "1,3,12,12", env={"BRIDGE_DOTNET_ROOT": str(old)}
    )  # fmt: skip
    assert done.returncode == 2
    assert "its runtime 7.0.20 is too old (8.0 or later is needed)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.dotnet
def test_the_process_lives_on(in_process: Callable[..., Any], tmp_path: Path) -> None:
    """After every refusal of the loader the same process loads and runs a model."""
    (tmp_path / "native.dll").write_bytes(b"MZ")
    good = str(assemblies.sample("Mtcnn.dll"))
    code = (
        "import torch, bridge\n"
        f"for path, name in (({str(tmp_path / 'native.dll')!r}, 'A'), ({good!r}, 'Mtcnn.PNett'), ({good!r}, 'Mtcnn.TrapConv')):\n"
        "    try:\n"
        "        bridge.load(path, name)\n"
        "    except bridge.DotNetError as error:\n"
        "        print(error.dotnet_type)\n"
        f"print(bridge.load({good!r}, 'Mtcnn.PNet')(torch.rand(1, 3, 12, 12))[0].shape)"
    )
    done = in_process(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:4] == [
        "System.BadImageFormatException",
        "System.ArgumentException",
        "System.ArgumentException",
        "torch.Size([1, 2, 1, 1])",
    ]
