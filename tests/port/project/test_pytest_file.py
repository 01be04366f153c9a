"""pytest_file.py: the test of a port."""

from __future__ import annotations

import ast
from typing import Any

import torch

from bridge.compare.models.targets import PythonTarget
from bridge.port.project.pytest_file import render_test

INPUTS: dict[str, Any] = {
    "x": torch.rand(1, 2, dtype=torch.float64),
    "ids": torch.tensor([4]),
    "mask": torch.tensor([[True]]),
    "sizes": (2, [torch.rand(3)]),
    "fast": True,
    "scale": 0.5,
    "cache": None,
}


def test_the_test_adds_the_folder_that_the_original_is_imported_from() -> None:
    text = render_test("Ns.csproj", "Ns.Net", INPUTS, PythonTarget("my.nets", "Net"), place="..")
    ast.parse(text)
    added, _, after = text.partition('sys.path.insert(0, str((FOLDER / "..").resolve()))')
    assert "import sys\n" in added
    assert "my.nets" not in added
    assert "\nfrom my.nets import Net\n" in after


def test_the_test_makes_the_original_as_the_command_did() -> None:
    text = render_test("Ns.csproj", "Ns.Net", INPUTS, PythonTarget("my.nets", "Net.small", (4,), {"name": "a"}))
    ast.parse(text)
    assert "from my.nets import Net\n" in text
    assert "original = Net.small(4, name='a')\n" in text
    assert 'bridge.load(FOLDER / "Ns.csproj", "Ns.Net")' in text
    assert (
        "x=torch.rand((1, 2), dtype=torch.float64), ids=torch.randint(5, (1,)), mask=torch.randint(2, (1, 1), dtype=torch.bool)"
        in text
    )
    assert "sizes=(2, [torch.rand((3,))]), fast=True, scale=0.5, cache=None)" in text


def test_the_test_gives_the_port_its_constructors_arguments() -> None:
    given = {"layers": [2, 2], "act": torch.nn.functional.relu, "dtype": torch.float64, "limit": float("inf")}
    text = render_test("Ns.csproj", "Ns.Net", {}, PythonTarget("my.nets", "Net"), keywords=given)
    ast.parse(text)
    keywords = 'layers=[2, 2], act=torch.nn.functional.relu, dtype=torch.float64, limit=float("inf")'
    assert f'bridge.load(FOLDER / "Ns.csproj", "Ns.Net", {keywords})' in text


def test_masked_attention_runs_without_fused_kernels() -> None:
    target = PythonTarget("my.nets", "Net")
    for masked in (True, False):
        text = render_test("Ns.csproj", "Ns.Net", INPUTS, target, masked)
        assert ("set_fastpath_enabled(False)" in text) == masked
