"""The files of a port besides its classes: the project, a program that runs it once, and a test for pytest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import torch

from bridge.compare.models.targets import PythonTarget
from bridge.port.csharp_types import parts
from bridge.port.dictionaries import values_of

#: The versions of the packages that a port refers to. TorchSharp's public surface is what may be written.
TORCHSHARP: Final = "0.107.0"
BRIDGE: Final = "0.1.0"
#: The file with the operators of the torch that the port was written by; Bridge.Torch needs it where no Python is in the process.
SCHEMAS: Final = "schemas.txt"
_PACKAGES: Final = {"torchsharp": ("TorchSharp-cpu", TORCHSHARP), "bridge": ("Bridge.Torch", BRIDGE)}
_BIND: Final = """\
// Bridge.Torch runs on an installed PyTorch's libtorch, whose path is this program's argument. `python -m bridge schema` says it, and
// writes schemas.txt anew for another PyTorch.
if (args.Length != 1)
{
    Console.Error.WriteLine("Give the full path of libtorch_cpu.");
    return 2;
}
Bridge.Torch.Runtime.Bind(args[0], File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "schemas.txt")));

"""


def project(runtime: str, namespace: str) -> str:
    """The ``.csproj``, with the namespace of the classes, which refers to the package of ``runtime``: ``torchsharp`` or ``bridge``."""
    package, version = _PACKAGES[runtime]
    copied = ("weights.dat", *([SCHEMAS] if runtime == "bridge" else []))
    files = "\n".join(f'    <None Include="{file}" CopyToOutputDirectory="PreserveNewest" />' for file in copied)
    return f"""\
<Project Sdk="Microsoft.NET.Sdk">

  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net8.0</TargetFramework>
    <RollForward>Major</RollForward>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
    <RootNamespace>{namespace}</RootNamespace>
  </PropertyGroup>

  <ItemGroup>
    <PackageReference Include="{package}" Version="{version}" />
{files}
  </ItemGroup>

</Project>
"""


def program(namespace: str, root: str, arguments: Mapping[str, Any], runtime: str, result: str = "Tensor") -> str:
    """``Program.cs``: loads the weights, runs one random input of the sizes of ``arguments``, and prints the ``result`` of that C# type."""
    bind, end = (_BIND, "return 0;\n") if runtime == "bridge" else ("", "")
    call = f"model.call({', '.join(map(_csharp, arguments.values()))})"
    if _whole(result):
        printed = [f"Console.WriteLine({call});"]
    elif result.startswith("("):  # its parts are printed apart
        printed = [f"var result = {call};", *_printing(result, "result")]
    else:
        printed = _printing(result, call)
    using = "\n".join(f"using {name};" for name in sorted((namespace, "TorchSharp")))
    lines = "\n".join(f"    {line}" for line in printed)
    return f"""\
{using}

{bind}using var model = new {root}();
model.load(Path.Combine(AppContext.BaseDirectory, "weights.dat"));
model.eval();
using (torch.no_grad())
using (torch.NewDisposeScope())
{{
{lines}
}}
{end}"""


def _whole(type_: str) -> bool:
    """Whether WriteLine shows the values of a type; of a collection it shows the type's name."""
    inner = type_.removesuffix("?")
    return all(map(_whole, parts(inner[1:-1]))) if inner.startswith("(") else not inner.endswith((">", "[]"))


def _printing(type_: str, code: str, name: str = "", depth: int = 1) -> list[str]:
    """The lines that print a value entry by entry, each behind the keys and places that lead to it."""
    type_, missing, number = type_.removesuffix("?"), type_.endswith("?"), "" if depth == 1 else str(depth)
    key, value = f"key{number}", f"value{number}"
    if _whole(type_):
        return [f'Console.WriteLine($"{name}: {{{code}}}");' if name else f"Console.WriteLine({code});"]
    if type_.startswith("("):
        items = enumerate(parts(type_[1:-1]), 1)
        return [line for at, one in items for line in _printing(one, f"{code}.Item{at}", f"{name}[{at - 1}]", depth)]
    entries = values_of(type_)
    inner = entries or (type_.removesuffix("[]") if type_.endswith("[]") else type_.partition("<")[2][:-1])
    each, named = (f"({key}, {value})", f"{name}[{{{key}}}]" if name else f"{{{key}}}") if entries else (value, name)
    lines = _printing(inner, value, named, depth + 1)
    code += "" if not missing else " ?? []" if type_.endswith("[]") else " ?? new()"
    return [f"foreach (var {each} in {code})", "{", *(f"    {line}" for line in lines), "}"]


def pytest_file(
    csproj: str,
    type_: str,
    arguments: Mapping[str, Any],
    original: PythonTarget,
    masked: bool = False,
    place: str | None = None,
) -> str:
    """A test for pytest by :func:`bridge.testing.assert_same_model`: the C# beside the original with the same weights.

    With ``masked`` attention PyTorch's fused kernels are off, which compute that otherwise. ``place`` is the folder, seen from the test's,
    that the original is imported from; None where it is installed.
    """
    plain = (
        "torch.backends.mha.set_fastpath_enabled(False)  # fused kernels compute masks otherwise\n    "
        if masked
        else ""
    )
    outer, _, inner = original.factory.partition(".")
    keywords = [f"{name}={value!r}" for name, value in original.keywords.items()]
    called = ", ".join([*map(repr, original.arguments), *keywords])
    inputs = ", ".join(f"{name}={_python(value)}" for name, value in arguments.items())
    imported, added, system = f"from {original.module} import {outer}\n", "", ""
    if place is not None:
        there = f'sys.path.insert(0, str((FOLDER / "{place}").resolve()))  # {original.module} is imported from there'
        imported, added, system = "", f"{there}\n\n{imported}", "import sys\n"
    return f"""\
\"\"\"The C# of this folder beside its original: for pytest, where torchsharp-bridge is installed.\"\"\"

{system}from pathlib import Path

import torch
{imported}from safetensors.torch import load_file

import bridge
from bridge.testing import assert_same_model

FOLDER = Path(__file__).parent
{added}


def test_the_port_is_its_original() -> None:
    original = {outer}{"." if inner else ""}{inner}({called})
    original.load_state_dict(load_file(FOLDER / "weights.safetensors"))
    port = bridge.load(FOLDER / "{csproj}", "{type_}")
    torch.manual_seed(0)
    {plain}assert_same_model(original, port, {inputs})
"""


def _csharp(value: Any) -> str:
    """An input of the same kind, drawn at random where it is a tensor."""
    if isinstance(value, torch.Tensor):
        shape, dtype = f"[{', '.join(map(str, value.shape))}]", str(value.dtype).replace("torch.bool", "torch.@bool")
        if value.is_floating_point() or value.is_complex():
            ends = "" if value.dtype == torch.float32 else f", dtype: {dtype}"
            return f"torch.rand({shape}{ends})"
        ends = "" if value.dtype == torch.int64 else f", dtype: {dtype}"
        return f"torch.randint(0, {_bound(value)}, {shape}{ends})"
    if isinstance(value, (list, tuple)):
        words = ", ".join(map(_csharp, value))
        return f"({words})" if isinstance(value, tuple) else f"[{words}]"
    return (
        {None: "null", True: "true", False: "false"}[value] if value is None or value in (True, False) else repr(value)
    )


def _python(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        shape = f"({', '.join(map(str, value.shape))}{',' if value.dim() == 1 else ''})"
        if value.is_floating_point() or value.is_complex():
            ends = "" if value.dtype == torch.float32 else f", dtype={value.dtype}"
            return f"torch.rand({shape}{ends})"
        ends = "" if value.dtype == torch.int64 else f", dtype={value.dtype}"
        return f"torch.randint({_bound(value)}, {shape}{ends})"
    if isinstance(value, (list, tuple)):
        words = ", ".join(map(_python, value))
        return f"[{words}]" if isinstance(value, list) else f"({words}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name!r}: {_python(one)}' for name, one in value.items())}}}"
    return repr(value)


def _bound(value: torch.Tensor) -> int:
    return int(value.max()) + 1 if value.numel() else 1
