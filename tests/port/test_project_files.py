"""project_files.py: the project, the program and the test of a port."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import pytest
import torch

from bridge.compare.models.targets import PythonTarget
from bridge.port.project_files import BRIDGE, program, project, pytest_file

INPUTS: dict[str, Any] = {
    "x": torch.rand(1, 2, dtype=torch.float64),
    "ids": torch.tensor([4]),
    "mask": torch.tensor([[True]]),
    "sizes": (2, [torch.rand(3)]),
    "fast": True,
    "scale": 0.5,
    "cache": None,
}


def test_the_program_draws_inputs_of_the_same_kinds() -> None:
    text = program("Ns", "Net", INPUTS, "torchsharp")
    assert "using Ns;\nusing TorchSharp;\n\nusing var model = new Net();" in text
    drawn = "torch.rand([1, 2], dtype: torch.float64), torch.randint(0, 5, [1]), torch.randint(0, 2, [1, 1], dtype: torch.@bool)"
    assert f"model.call({drawn}, (2, [torch.rand([3])]), true, 0.5, null)" in text
    assert "Runtime.Bind" not in text


@pytest.mark.parametrize(
    ("result", "lines"),
    [
        ("(Tensor, (Tensor?, double))", "Console.WriteLine(model.call());"),
        ("object", "Console.WriteLine(model.call());"),
        (
            "Dictionary<string, Tensor>",
            """foreach (var (key, value) in model.call())
            {
                Console.WriteLine($"{key}: {value}");
            }""",
        ),
        (
            "List<Tensor>",
            """foreach (var value in model.call())
            {
                Console.WriteLine(value);
            }""",
        ),
        (
            "(Tensor, Dictionary<string, List<Tensor>>?)",
            """var result = model.call();
            Console.WriteLine($"[0]: {result.Item1}");
            foreach (var (key, value) in result.Item2 ?? new())
            {
                foreach (var value2 in value)
                {
                    Console.WriteLine($"[1][{key}]: {value2}");
                }
            }""",
        ),
        (
            "long[]",
            """foreach (var value in model.call())
            {
                Console.WriteLine(value);
            }""",
        ),
    ],
)
def test_the_program_prints_what_is_in_a_collection(result: str, lines: str) -> None:
    """Not the name of the collection's type."""
    text = program("Ns", "Net", {}, "torchsharp", result)
    assert textwrap.dedent(text.partition("{\n")[2].rpartition("}\n")[0]) == textwrap.dedent(f"{' ' * 12}{lines}\n")


def test_a_project_for_our_package_binds_a_libtorch() -> None:
    assert f'<PackageReference Include="Bridge.Torch" Version="{BRIDGE}" />' in project("bridge", "Ns")
    assert '<None Include="schemas.txt"' in project("bridge", "Ns")
    assert "schemas.txt" not in project("torchsharp", "Ns")
    assert "Bridge.Torch.Runtime.Bind(args[0]" in program("Ns", "Net", INPUTS, "bridge")


def test_the_test_adds_the_folder_that_the_original_is_imported_from() -> None:
    text = pytest_file("Ns.csproj", "Ns.Net", INPUTS, PythonTarget("my.nets", "Net"), place="..")
    ast.parse(text)
    added, _, after = text.partition('sys.path.insert(0, str((FOLDER / "..").resolve()))')
    assert "import sys\n" in added
    assert "my.nets" not in added
    assert "\nfrom my.nets import Net\n" in after


def test_the_test_makes_the_original_as_the_command_did() -> None:
    text = pytest_file("Ns.csproj", "Ns.Net", INPUTS, PythonTarget("my.nets", "Net.small", (4,), {"name": "a"}))
    ast.parse(text)
    assert "from my.nets import Net\n" in text
    assert "original = Net.small(4, name='a')\n" in text
    assert 'bridge.load(FOLDER / "Ns.csproj", "Ns.Net")' in text
    assert (
        "x=torch.rand((1, 2), dtype=torch.float64), ids=torch.randint(5, (1,)), mask=torch.randint(2, (1, 1), dtype=torch.bool)"
        in text
    )
    assert "sizes=(2, [torch.rand((3,))]), fast=True, scale=0.5, cache=None)" in text
