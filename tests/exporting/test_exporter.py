"""The whole of an export: what the file needs, names, refusals before the work, and files that are left as they are."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

pytestmark = pytest.mark.dotnet


@pytest.mark.slow
def test_a_pt2_file_runs_without_bridge(export: Callable[..., Any], load: Callable[..., torch.nn.Module]) -> None:
    found = export("functions")
    code = (
        "import sys, torch; sys.modules['bridge'] = None; torch.manual_seed(3); "
        f"print(torch.export.load({str(found.path)!r}).module()(torch.randn(5, 6)).tolist())"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    model = load("Net", "functions")
    torch.manual_seed(3)
    assert torch.allclose(torch.tensor(json.loads(done.stdout)), model(torch.randn(5, 6)), atol=1e-6)


def test_several_inputs_by_name_and_several_results(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    inputs = {"scale": torch.rand(3, 4, 1), "tokens": torch.randint(11, (3, 4))}
    found = bridge.export(
        load("Tokens", False), inputs, tmp_path / "tokens.pt2", dynamic=["batch", "length=tokens:1", "length=scale:1"]
    )
    assert found.inputs == ("tokens", "scale")
    assert {tuple(check.sizes) for check in found.rounds} == {("batch", "length")}
    assert str(found).splitlines()[1] == (
        "Checked by PyTorch on 9 sets of inputs (batch 1, 3, 4, 6; length 1, 4, 5, 8): largest difference 0."
    )


def test_a_result_with_a_number_is_refused(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    with pytest.raises(
        bridge.ExportError, match="the model returns a value of type float, and a file returns tensors only"
    ):
        bridge.export(load("Number"), torch.randn(3, 6), tmp_path / "net.pt2")


@pytest.mark.parametrize(
    ("file", "options", "words"),
    [
        ("net.pb", {}, "must end in .onnx or .pt2"),
        ("net.pt2", {"opset": 18}, "are for .onnx files"),
        ("net.pt2", {"output_names": ["y"]}, "are for .onnx files"),
        ("net.pt2", {"dynamic": "batch=9"}, "no input has a dimension 9"),
    ],
)
def test_a_request_that_cannot_be_is_refused(
    load: Callable[..., torch.nn.Module], tmp_path: Path, file: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(bridge.ExportError, match=words):
        bridge.export(load("Net", "plain"), torch.randn(3, 6), tmp_path / file, **options)
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_not_there_is_an_error(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    with pytest.raises(bridge.BridgeError, match="there is no folder"):
        bridge.export(load("Net", "plain"), torch.randn(3, 6), tmp_path / "gone" / "net.pt2")


def test_an_existing_file_is_left_if_the_model_is_refused(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    file = tmp_path / "net.pt2"
    file.write_bytes(b"before")
    with pytest.raises(bridge.ExportError):
        bridge.export(load("Net", "view"), torch.randn(3, 6), file, dynamic="batch")
    assert file.read_bytes() == b"before"


def test_inputs_that_do_not_fit_are_an_error(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    with pytest.raises(bridge.ExportError, match="the model raised an error") as caught:
        bridge.export(load("Net", "plain"), torch.randn(3, 5), tmp_path / "net.pt2")
    assert caught.value.module_path == "first"
    with pytest.raises(bridge.BridgeError, match="the inputs do not fit forward"):
        bridge.export(load("Net", "plain"), (torch.randn(3, 6),) * 2, tmp_path / "net.pt2")
