"""bridge/compare/models/weights.py: all weights or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from bridge.compare.errors import WeightsError
from bridge.compare.models.weights import find_misfits, load_into, read_weights, share, state


def _misfit_lines(*arguments: Any) -> list[str]:
    return [misfit.line for misfit in find_misfits(*arguments)]


def _ones(model: nn.Module) -> nn.Module:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(1)
    return model


@pytest.mark.parametrize("choice", ["python", "dotnet", "none"])
def test_who_gives_and_who_takes(choice: str) -> None:
    python, port = _ones(nn.Linear(2, 2)), nn.Linear(2, 2)
    before = port.weight.clone()
    share(choice, python, port)
    wanted = {"python": (1, 1), "none": (1, before), "dotnet": (before, before)}[choice]
    for model, value in zip((python, port), wanted, strict=True):
        assert torch.equal(model.weight, torch.ones(2, 2) if isinstance(value, int) else value)


def test_every_misfit_is_listed_and_nothing_is_loaded() -> None:
    source = {
        "weight": torch.zeros(2, 3),
        "bias": torch.zeros(2, dtype=torch.float64),
        "extra": torch.zeros(1),
        "more": "text",
    }
    target, other = _ones(nn.Linear(2, 2)), _ones(nn.Linear(3, 2))
    with pytest.raises(WeightsError) as caught:
        load_into(source, [("dotnet", target), ("pytorch", other)], "file")
    assert str(caught.value).splitlines() == [
        "4 weights do not fit, nothing was loaded:",
        "  extra: file has it, dotnet does not",
        "  more: file has it, dotnet does not",
        "  weight: shape [2, 3] in file, [2, 2] in dotnet",
        "  bias: dtype float64 in file, float32 in dotnet",
        "  extra: file has it, pytorch does not",
        "  more: file has it, pytorch does not",
        "  bias: dtype float64 in file, float32 in pytorch",
    ]
    assert all(bool((value == 1).all()) for model in (target, other) for value in state(model).values())


def test_two_different_models_are_told_first_and_ten_weights() -> None:
    ours = nn.ModuleDict({"stem": nn.Linear(2, 2), **{f"block{number}": nn.Linear(2, 3) for number in range(30)}})
    theirs = nn.ModuleDict({"stem": nn.Linear(2, 2), **{f"layer{number}": nn.Linear(3, 2) for number in range(30)}})
    with pytest.raises(WeightsError) as caught:
        share("python", ours, theirs)
    first, *lines, last = str(caught.value).splitlines()
    assert first == (
        "these look like different models: they share 2 of 122 names of weights. 120 weights do not fit, nothing was loaded:"
    )
    assert len(lines) == 10
    assert lines[0] == "  block0.weight: pytorch has it, dotnet does not"
    assert lines[5] == "  layer0.weight: dotnet has it, pytorch does not"
    assert last == "  … and 110 more"


def test_one_model_with_other_names_is_no_different_model() -> None:
    """Nor is one whose shapes are others: the same names are there."""
    for theirs in (Two("conv_"), Two("conv", 7)):
        with pytest.raises(WeightsError, match="^4 weights do not fit"):
            share("python", Two("conv"), theirs)


def test_a_lazy_module_does_not_crash() -> None:
    assert _misfit_lines({"weight": torch.zeros(1), "bias": torch.zeros(1)}, nn.LazyLinear(2), "file", "pytorch") == [
        "weight: shape [1] in file, not known yet (a lazy module: run it once first) in pytorch",
        "bias: shape [1] in file, not known yet (a lazy module: run it once first) in pytorch",
    ]


def test_a_weight_of_another_shape_and_dtype_counts_once() -> None:
    source = {"weight": torch.zeros(3, 2), "bias": torch.zeros(3, dtype=torch.float64)}
    with pytest.raises(WeightsError) as caught:
        load_into(source, [("dotnet", nn.Linear(2, 2))], "file")
    assert str(caught.value).splitlines() == [
        "2 weights do not fit, nothing was loaded:",
        "  weight: shape [3, 2] in file, [2, 2] in dotnet",
        "  bias: shape [3] in file, [2] in dotnet; dtype float64 in file, float32 in dotnet",
    ]


def test_a_file(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"a": torch.ones(2, dtype=torch.bfloat16)}, tmp_path / "w.safetensors")
    assert torch.equal(read_weights(tmp_path / "w.safetensors")["a"], torch.ones(2, dtype=torch.bfloat16))


class Two(nn.Module):
    """Two blocks whose layer has this name."""

    def __init__(self, name: str, width: int = 3) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.ModuleDict({name: nn.Sequential(nn.Linear(3, width))}) for _ in range(2))


def test_a_module_of_another_name_is_one_line() -> None:
    assert _misfit_lines(state(Two("conv")), Two("conv_"), "pytorch", "dotnet") == [
        "blocks.0.conv: in dotnet it is named blocks.0.conv_, with 2 weights of the same names and shapes",
        "blocks.1.conv: in dotnet it is named blocks.1.conv_, with 2 weights of the same names and shapes",
    ]
    with pytest.raises(WeightsError, match="4 weights do not fit"):
        share("python", Two("conv"), Two("conv_"))


def test_names_that_are_swapped_say_which_two() -> None:
    ours = nn.ModuleDict({"fc1": nn.Linear(4, 6), "fc2": nn.Linear(6, 4), "fc3": nn.Linear(2, 2)})
    theirs = nn.ModuleDict({"fc1": nn.Linear(6, 4), "fc2": nn.Linear(4, 6), "fc3": nn.Linear(2, 2)})
    with pytest.raises(WeightsError) as caught:
        share("python", ours, theirs)
    assert str(caught.value).splitlines() == [
        "4 weights do not fit, nothing was loaded:",
        "  fc1: in dotnet it has the shapes of fc2, and fc2 has those of fc1: are the names swapped? (4 weights)",
    ]
    theirs["fc2"] = nn.Linear(4, 7)
    assert not any("swapped" in line for line in _misfit_lines(state(ours), theirs, "pytorch", "dotnet"))


def test_another_name_is_stated_only_where_the_shapes_fit_and_one_alone_fits() -> None:
    assert not any("named" in line for line in _misfit_lines(state(Two("conv")), Two("conv_", 4), "pytorch", "dotnet"))
    two = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)})
    assert not any(
        "named" in line for line in _misfit_lines(state(nn.ModuleDict({"c": nn.Linear(2, 2)})), two, "x", "y")
    )


def test_constructor_settings_come_before_misfits() -> None:
    with pytest.raises(WeightsError) as caught:
        share("python", nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.Sequential(nn.Linear(2, 3), nn.ReLU()))
    assert str(caught.value).splitlines()[:2] == [
        "2 weights do not fit, nothing was loaded:",
        "  0 (Linear): out_features is 2 in pytorch and 3 in dotnet.",
    ]
    with pytest.raises(WeightsError, match=r"0 \(BatchNorm1d\): it is ReLU in dotnet"):
        share("python", nn.Sequential(nn.BatchNorm1d(2), nn.ReLU()), nn.Sequential(nn.ReLU(), nn.BatchNorm1d(2)))
