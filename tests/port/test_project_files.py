"""project_files.py: the project, the program and the test of a port."""

from __future__ import annotations

import ast
from typing import Any

import torch

from bridge.compare.targets import PythonTarget
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


def test_a_project_for_our_package_binds_a_libtorch() -> None:
    assert f'<PackageReference Include="Bridge.Torch" Version="{BRIDGE}" />' in project("bridge", "Ns")
    assert '<None Include="schemas.txt"' in project("bridge", "Ns")
    assert "schemas.txt" not in project("torchsharp", "Ns")
    assert "Bridge.Torch.Runtime.Bind(args[0]" in program("Ns", "Net", INPUTS, "bridge")


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
