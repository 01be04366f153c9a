"""Where a model differs from the same on TorchSharp itself, which runs beside it, and where the user chooses."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

pytestmark = pytest.mark.dotnet

X = torch.tensor([[1.0, 2.0, 3.0], [3.0, 4.0, 9.0]])


@pytest.fixture(scope="module")
def differing(build_csharp: Callable[..., Path], reference: Path) -> Path:
    """Return Differing.cs, compiled against TorchSharp's signatures."""
    return build_csharp([Path(__file__).parent / "Differing.cs"], "Differing", against=[reference])


@pytest.fixture
def on_torchsharp(differing: Path, torchsharp: Path) -> Callable[..., torch.nn.Module]:
    """Return a function that loads a class of Differing.cs on TorchSharp."""

    def load(name: str, **options: Any) -> torch.nn.Module:
        return bridge.load(differing, f"Differing.{name}", runtime=f"torchsharp:{torchsharp.parent}", **options)

    return load


@pytest.mark.parametrize("layer", ["Linear", "Conv2d"])
def test_initial_values(differing: Path, on_torchsharp: Callable[..., torch.nn.Module], layer: str) -> None:
    """They are those of the libtorch: in float32 and float64 the same in all versions, in the other two not."""
    ours, theirs = bridge.load(differing, "Differing.Drawn"), on_torchsharp("Drawn")
    with torch.no_grad():
        for dtype in ("Float32", "Float64"):
            assert torch.equal(ours(layer, dtype), theirs(layer, dtype))
        if torch.__version__.startswith("2.10."):
            for dtype in ("BFloat16", "Float16"):
                assert torch.equal(ours(layer, dtype), theirs(layer, dtype))
    make = (lambda kind: torch.nn.Linear(8, 4, dtype=kind)) if layer == "Linear" else _convolution
    for dtype in ("bfloat16", "float16"):
        torch.manual_seed(3)
        expected = make(getattr(torch, dtype)).weight.detach().float()
        assert torch.equal(ours(layer, {"bfloat16": "BFloat16", "float16": "Float16"}[dtype]), expected)


def _convolution(dtype: torch.dtype) -> torch.nn.Module:
    return torch.nn.Conv2d(2, 3, 3, dtype=dtype)


def test_a_batch_with_one_value_a_channel(differing: Path, on_torchsharp: Callable[..., torch.nn.Module]) -> None:
    """TorchSharp returns zeros and makes the running variance NaN (TS-45); PyTorch refuses it, and so do we."""
    theirs = on_torchsharp("Single")
    with torch.no_grad():
        assert torch.allclose(theirs(X[:1]), torch.zeros(1, 3), atol=1e-3)
    assert theirs.state_dict()["norm.running_var"].isnan().all()
    ours = bridge.load(differing, "Differing.Single")
    with pytest.raises(ValueError, match="more than one value per channel"):
        ours(X[:1])
    assert not ours.norm.running_var.isnan().any()


def test_a_tensor_under_two_names_loads_from_torchsharps_file(
    differing: Path, on_torchsharp: Callable[..., torch.nn.Module], tmp_path: Path
) -> None:
    """TorchSharp writes a module's own tensor once; Python knows both names, as PyTorch does."""
    ours, theirs = bridge.load(differing, "Differing.Doubled"), on_torchsharp("Doubled")
    for name, model in (("ours.dat", ours), ("theirs.dat", theirs)):
        with torch.no_grad():
            assert model(str(tmp_path / name)) == "scale count"
        weights = bridge.read_weights(tmp_path / name)
        assert list(weights) == ["scale", "count"]
        loaded = bridge.load(differing, "Differing.Doubled")
        loaded.load_state_dict({key: value + 4 for key, value in weights.items()})
        assert loaded._scale is loaded.scale
        assert loaded.state_dict()["_scale"].tolist() == [5.0, 5.0]
        assert loaded.state_dict()["_count"].tolist() == [4.0, 4.0]
    with pytest.raises(RuntimeError, match=r'Missing key.*"scale", "_scale"'):
        ours.load_state_dict({"count": torch.zeros(2)})
    ours.load_state_dict(ours.state_dict())


def load_silently(differing: Path, name: str, **options: Any) -> torch.nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return bridge.load(differing, f"Differing.{name}", **options)


@pytest.mark.parametrize("name", ["Unregistered", "Chained"])
def test_components_stay_unregistered_as_in_torchsharp(
    differing: Path, on_torchsharp: Callable[..., torch.nn.Module], name: str
) -> None:
    """Then ``eval()`` does not reach a normalization, which stays in train mode (TS-28)."""
    models = [load_silently(differing, name, register_components=False), on_torchsharp(name)]
    models.append(on_torchsharp(name, register_components=False))
    for model in models:
        assert list(model.eval().state_dict()) == []
        with torch.no_grad():
            assert torch.allclose(model(X), torch.tensor([[-1.0] * 3, [1.0] * 3]), atol=1e-4)
    for other in (copy.deepcopy(models[0]), pickle.loads(pickle.dumps(models[0]))):
        assert list(other.state_dict()) == []
        assert torch.allclose(other(X), torch.tensor([[-1.0] * 3, [1.0] * 3]), atol=1e-4)


def test_components_are_registered_with_a_warning_that_says_what_it_changes(differing: Path) -> None:
    with pytest.warns(
        UserWarning,
        match=r"eval\(\) leaves its BatchNorm and Dropout layers in train mode.*register_components=False to do as TorchSharp",
    ):
        model = bridge.load(differing, "Differing.Unregistered")
    model.eval()
    assert torch.allclose(model(X), X, atol=1e-4)
    for chained in (
        load_silently(differing, "Chained"),
        load_silently(differing, "Chained", register_components=True),
    ):
        assert "chain.norm.norm.weight" in chained.state_dict()


@pytest.mark.parametrize("runtime", ["torchsharp", "torchsharp-in-process"])
def test_torchsharp_registers_nothing(differing: Path, runtime: str) -> None:
    with pytest.raises(ValueError, match="register_components=True works only on Bridge.Torch: .* Omit the argument"):
        bridge.load(differing, "Differing.Unregistered", runtime=runtime, register_components=True)


def test_an_unknown_runtime_is_what_is_said(differing: Path) -> None:
    with pytest.raises(ValueError, match="runtime must be 'dotnet', .* not 'cuda'"):
        bridge.load(differing, "Differing.Unregistered", runtime="cuda", register_components=True)
