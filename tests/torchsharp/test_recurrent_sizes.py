"""Recurrent layers whose inputs or states have other sizes: the operators would read beyond the ends of weights and states."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

pytestmark = pytest.mark.dotnet

_SOURCE = """
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Sizes;

public sealed class Of : Module<Tensor, Tensor, Tensor>
{
    private readonly LSTM lstm = LSTM(4, 5);
    private readonly GRU gru = GRU(4, 5);
    private readonly RNN rnn = RNN(4, 5);
    private readonly string kind;

    public Of(string kind) : base(nameof(Of))
    {
        this.kind = kind;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x, Tensor? state = null) => kind switch
    {
        "lstm" => lstm.call(x, state is null ? null : (state, state)).Item1,
        "packed" => lstm.call(nn.utils.rnn.pack_sequence(new[] { x }), null).Item1.data,
        "gru" => gru.call(x, state).Item1,
        _ => rnn.call(x, state).Item1,
    };
}
"""


@pytest.fixture
def layer(build_csharp: Callable[..., Path]) -> Callable[[str], Any]:
    """Return ``layer("gru")``: a model that calls its layer of 4 features and 5 hidden units in C#."""
    assembly = build_csharp({"Sizes.cs": _SOURCE}, "Sizes")
    return lambda kind: bridge.load(assembly, "Sizes.Of", kind)


@pytest.mark.parametrize("features", [3, 5])
@pytest.mark.parametrize("kind", ["lstm", "packed", "gru", "rnn"])
def test_another_number_of_features_is_refused(layer: Callable[[str], Any], kind: str, features: int) -> None:
    """PyTorch's own words; an LSTM computed with what lies beyond the input before."""
    model = layer(kind)
    with pytest.raises(
        RuntimeError, match=rf"input\.size\(-1\) must be equal to input_size\. Expected 4, got {features}"
    ):
        model(torch.ones(2, features) if kind == "packed" else torch.ones(2, 3, features))
    assert torch.isfinite(model(torch.ones(2, 4))).all()


@pytest.mark.parametrize("shape", [(1, 3, 4), (2, 3, 5), (1, 2, 5)])
@pytest.mark.parametrize(("kind", "which"), [("lstm", r"hidden\[0\]"), ("gru", "hidden"), ("rnn", "hidden")])
def test_a_state_of_another_shape_is_refused(
    layer: Callable[[str], Any], kind: str, which: str, shape: tuple[int, ...]
) -> None:
    model = layer(kind)
    with pytest.raises(RuntimeError, match=rf"Expected {which} size \(1, 3, 5\), got \[{', '.join(map(str, shape))}\]"):
        model(torch.ones(2, 3, 4), torch.ones(shape))
    model(torch.ones(2, 3, 4), torch.ones(1, 3, 5))


@pytest.mark.parametrize("kind", ["lstm", "packed", "gru", "rnn"])
def test_another_type_than_the_weights_is_a_value_error(layer: Callable[[str], Any], kind: str) -> None:
    """As in PyTorch; not under autocast, which converts."""
    model = layer(kind)
    x = torch.ones(3, 2, 4, dtype=torch.float64) if kind != "packed" else torch.ones(3, 4, dtype=torch.float64)
    with pytest.raises(ValueError, match=r"RNN input dtype \(Float64\) does not match weight dtype \(Float32\)"):
        model(x)
    with torch.autocast("cpu", torch.bfloat16):
        assert model(x.bfloat16()).dtype == torch.bfloat16
