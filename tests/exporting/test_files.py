"""ONNX files: names, opset, weights inside, and what ONNX lacks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import bridge
from bridge.exporting import files

pytestmark = pytest.mark.dotnet


@pytest.fixture(autouse=True)
def onnx() -> None:
    """Skip where the packages of the extra ``export`` are missing."""
    for package in files.PACKAGES:
        pytest.importorskip(package, reason="needs the extra export, for ONNX files")


def test_an_onnx_file_has_names_weights_and_dynamic_dimensions(
    load: Callable[..., torch.nn.Module], tmp_path: Path
) -> None:
    import onnxruntime

    model, inputs = load("Tokens", True), (torch.randint(11, (1, 4)), torch.rand(1, 4, 1))
    found = bridge.export(
        model, inputs, tmp_path / "tokens.onnx", dynamic=["batch", "length=1"], input_names=["a", "b"], output_names=["c", "d"],
        opset=21, infer_sizes=True,
    )  # fmt: skip
    assert (found.opset, found.inputs, found.outputs) == (21, ("a", "b"), ("c", "d"))
    assert found.largest < 1e-6
    assert [*tmp_path.iterdir()] == [found.path], "the weights are in the file itself"
    session = onnxruntime.InferenceSession(str(found.path))
    assert [entry.shape for entry in session.get_inputs()] == [["batch", "length"], ["batch", "length", 1]]
    others = (torch.randint(11, (6, 9)), torch.rand(6, 9, 1))
    results = session.run(None, {"a": others[0].numpy(), "b": others[1].numpy()})
    for got, wanted in zip(results, model(*others), strict=True):
        assert torch.allclose(torch.from_numpy(got), wanted, atol=1e-6)


def test_what_onnx_lacks_is_named_with_its_module(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    with pytest.raises(
        bridge.ExportError, match="ONNX has no operator for aten.masked_select.default of module 'block'"
    ) as caught:
        bridge.export(load("Net", "select"), torch.randn(3, 6), tmp_path / "net.onnx")
    assert caught.value.module_path == "block"
    assert [*tmp_path.iterdir()] == []


def test_a_wrong_number_of_names_is_refused(load: Callable[..., torch.nn.Module], tmp_path: Path) -> None:
    with pytest.raises(bridge.ExportError, match="input_names must be 1 different names, for x, not a, b"):
        bridge.export(load("Net", "plain"), torch.randn(3, 6), tmp_path / "net.onnx", input_names=["a", "b"])


def test_weights_that_no_onnx_file_can_hold_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "_LARGEST", 100)
    with pytest.raises(bridge.ExportError, match="an ONNX file with its weights inside has less than 2"):
        bridge.export(torch.nn.Linear(6, 6).eval(), torch.randn(3, 6), tmp_path / "net.onnx")


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "onnxscript" else object())
    with pytest.raises(
        bridge.ExportError, match=r"needs onnxscript: install them with pip install 'torchsharp-bridge\[export\]'"
    ):
        files.check_packages()
