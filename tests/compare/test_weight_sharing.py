"""bridge/compare/weight_sharing.py: all weights or none."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from bridge.compare.compare_errors import WeightsError
from bridge.compare.weight_sharing import give, misfits, read, share, state


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
        give(source, [("dotnet", target), ("pytorch", other)], "file")
    assert str(caught.value).splitlines() == [
        "7 weights do not fit, nothing was loaded:",
        "  extra: file has it, dotnet does not",
        "  more: file has it, dotnet does not",
        "  weight: shape [2, 3] in file, [2, 2] in dotnet",
        "  bias: dtype float64 in file, float32 in dotnet",
        "  extra: file has it, pytorch does not",
        "  more: file has it, pytorch does not",
        "  bias: dtype float64 in file, float32 in pytorch",
    ]
    assert all(bool((value == 1).all()) for model in (target, other) for value in state(model).values())


def test_a_lazy_module_does_not_crash() -> None:
    assert misfits({"weight": torch.zeros(1), "bias": torch.zeros(1)}, nn.LazyLinear(2), "file", "pytorch") == [
        "weight: shape [1] in file, not known yet (a lazy module: run it once first) in pytorch",
        "bias: shape [1] in file, not known yet (a lazy module: run it once first) in pytorch",
    ]


def test_a_file(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"a": torch.ones(2, dtype=torch.bfloat16)}, tmp_path / "w.safetensors")
    assert torch.equal(read(tmp_path / "w.safetensors")["a"], torch.ones(2, dtype=torch.bfloat16))
