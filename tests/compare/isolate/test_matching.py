"""bridge.compare.isolate.matching: PyTorch's arguments and results are converted to those of the C# counterpart (P-1, F-1)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge
from bridge.compare.errors import NoCounterpartError
from bridge.compare.isolate.matching import arguments_for, result_for
from bridge.compare.isolate.record import record_calls

SOURCE = """using static TorchSharp.torch;
using static TorchSharp.torch.nn;
namespace Taken;
public sealed class One : Module<Tensor, Tensor?, Tensor>
{
    public One() : base("One") => RegisterComponents();
    public override Tensor forward(Tensor hiddenStates, Tensor? mask) => hiddenStates;
}
public sealed class Two : Module<Tensor, double, (Tensor, Tensor)>
{
    public Two() : base("Two") => RegisterComponents();
    public override (Tensor, Tensor) forward(Tensor x, double scale = 1) => (x, x);
}"""


class Inner(nn.Module):
    def forward(self, hidden_states: Any, past: Any = None, mask: Any = None, scale: float = 1.0, **kwargs: Any) -> Any:
        return {"past": None, "hidden": hidden_states, "weights": hidden_states * 2}


class Outer(nn.Module):
    def __init__(self, keywords: dict[str, Any]) -> None:
        super().__init__()
        self.inner = Inner()
        self.keywords = keywords

    def forward(self, x: Any) -> Any:
        return self.inner(x, **self.keywords)["hidden"]


@pytest.fixture
def library(build_csharp: Callable[..., Path]) -> Path:
    return build_csharp({"Taken.cs": SOURCE}, "Taken")


X, MASK = torch.ones(2), torch.zeros(2)


def _call(**keywords: Any) -> Any:
    run = record_calls(Outer(keywords), {"x": X}, seed=0, grad_enabled=False, budget=1 << 20)
    return next(call for call in run.calls if call.path == "inner")


@pytest.mark.parametrize(
    ("keywords", "given"),
    [
        ({}, [X, None]),
        ({"mask": MASK, "use_cache": False, "position_ids": None}, [X, MASK]),
        ({"scale": 2.0}, [X, None]),
    ],
)
def test_arguments_without_a_csharp_parameter_are_left_out(
    library: Path, keywords: dict[str, Any], given: list[Any]
) -> None:
    found, named = arguments_for(bridge.load(library, "Taken.One"), _call(**keywords))
    assert named == {}
    assert len(found) == len(given)
    assert all(x is y or torch.equal(x, y) for x, y in zip(found, given, strict=True))


def test_csharps_defaults_are_used_and_a_tensor_without_a_parameter_is_refused(library: Path) -> None:
    two = bridge.load(library, "Taken.Two")
    assert len(arguments_for(two, _call())[0]) == 1
    assert arguments_for(two, _call(scale=3.0))[0][1] == 3.0
    with pytest.raises(NoCounterpartError, match=r"passes mask, which the C# forward\(x, scale\) does not accept"):
        arguments_for(two, _call(mask=MASK, scale=2.0))


def test_the_result_has_as_many_tensors_as_csharp_declares(library: Path) -> None:
    call = _call()
    assert result_for(bridge.load(library, "Taken.One"), call) is call.result["hidden"]
    assert result_for(bridge.load(library, "Taken.Two"), call) == (call.result["hidden"], call.result["weights"])
    assert result_for(nn.ReLU(), call) is call.result
