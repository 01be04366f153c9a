"""layers.py: PyTorch's modules as the calls that make them in TorchSharp."""

from __future__ import annotations

from typing import Any

import pytest
import torch.nn.functional as F
from torch import nn

from bridge.port.csharp.calls.fitting import known
from bridge.port.csharp.calls.layers import layer, lower
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.errors import Untranslatable


def made(module: nn.Module, rank: int = 0) -> str | None:
    found = layer(begin(), module, {}, rank)
    return None if found is None else text(found)


def constructed(kind: type, given: dict[str, Any], rank: int = 0) -> str:
    values = {name: value if isinstance(value, ir.Expression) else known(value) for name, value in given.items()}
    arguments = tuple(ir.Argument(name, value) for name, value in values.items())
    return text(lower(begin(), ir.Construct(kind, arguments, rank, type=types.ModuleOf(kind))))


@pytest.mark.parametrize(
    ("module", "wanted"),
    [
        (nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), "Conv2d(3, 8, 3, stride: 2, padding: 1, bias: false)"),
        (nn.Conv2d(3, 8, (1, 3), padding=(0, 1)), "Conv2d(3, 8, (1, 3), padding: (0, 1))"),
        (nn.Conv2d(3, 8, 3, padding="same"), "Conv2d(3, 8, 3, Padding.Same)"),
        (nn.Linear(4, 2, bias=False), "Linear(4, 2, hasBias: false)"),
        (nn.BatchNorm2d(8, eps=1e-3, momentum=0.01), "BatchNorm2d(8, eps: 0.001, momentum: 0.01)"),
        (nn.BatchNorm1d(8, affine=False), "BatchNorm1d(8, affine: false)"),
        (nn.LayerNorm(6), "LayerNorm(6)"),
        (nn.LayerNorm((6, 6), eps=1e-6), "LayerNorm(new long[] { 6, 6 }, eps: 1e-06)"),
        (nn.MaxPool2d(2), "MaxPool2d(2)"),
        (nn.MaxPool2d(3, 2, 1, ceil_mode=True), "MaxPool2d(3, stride: 2, padding: 1, ceil_mode: true)"),
        (nn.AdaptiveMaxPool2d((1, 1)), "AdaptiveMaxPool2d(new long[] { 1, 1 })"),  # not of one number
        (nn.AdaptiveMaxPool2d(1), "AdaptiveMaxPool2d(new long[] { 1, 1 })"),
        (nn.AdaptiveAvgPool2d((1, 1)), "AdaptiveAvgPool2d(1)"),
        (nn.Dropout(0.1), "Dropout(p: 0.1)"),
        (nn.ReLU(inplace=True), "ReLU(inplace: true)"),
        (nn.GELU("tanh"), "GELU(TorchSharp.Modules.GELU.Approximate.tanh)"),
        (nn.PReLU(), "PReLU(1)"),
        (nn.Embedding(10, 4, padding_idx=0), "Embedding(10, 4, padding_idx: 0)"),
        (nn.LSTM(3, 4, batch_first=True), "LSTM(3, 4, batchFirst: true)"),
        (nn.RNN(3, 4, nonlinearity="relu"), "RNN(3, 4, nonLinearity: NonLinearities.ReLU)"),
        (nn.KLDivLoss(), "KLDivLoss(log_target: false)"),  # true in TorchSharp
        (nn.HingeEmbeddingLoss(), "HingeEmbeddingLoss()"),
        (nn.Flatten(), "Flatten()"),
        (nn.Identity(3), "Identity()"),
    ],
)
def test_a_module_is_made_with_the_arguments_that_are_no_defaults(module: nn.Module, wanted: str) -> None:
    assert made(module) == wanted


@pytest.mark.parametrize(
    "module",
    [
        nn.MultiheadAttention(4, 2, batch_first=True),
        nn.MaxPool2d(2, return_indices=True),  # it gives two results
        nn.KLDivLoss(reduction="batchmean"),
        nn.CrossEntropyLoss(label_smoothing=0.1),
        nn.Upsample(scale_factor=2),  # of an input whose rank is not known
    ],
)
def test_modules_that_torchsharp_cannot_make_are_not_made(module: nn.Module) -> None:
    assert made(module) is None


def test_one_scale_is_one_for_each_dimension_of_the_input() -> None:
    assert made(nn.Upsample(scale_factor=2), 4) == "Upsample(scale_factor: new double[] { 2.0, 2.0 })"
    assert made(nn.Upsample(size=5, mode="linear"), 3) == "Upsample(size: new long[] { 5 }, mode: UpsampleMode.Linear)"


def test_a_constructor_is_translated_with_its_expressions() -> None:
    width = ir.Local("width", type=types.INT)
    assert constructed(nn.Linear, {"in_features": width, "out_features": 2, "bias": True}) == "Linear(width, 2)"
    assert (
        constructed(nn.Conv2d, {"in_channels": width, "out_channels": width, "kernel_size": (3, 3)})
        == "Conv2d(width, width, 3)"
    )
    assert constructed(nn.LayerNorm, {"normalized_shape": (6, 6)}) == "LayerNorm(new long[] { 6, 6 })"
    data = ir.Local("data", type=types.TENSOR)
    assert constructed(nn.Parameter, {"data": data, "requires_grad": False}) == "new Parameter(data, false)"
    given = {"d_model": 8, "nhead": 2, "activation": F.gelu}
    assert (
        constructed(nn.TransformerEncoderLayer, given)
        == "TransformerEncoderLayer(d_model: 8, nhead: 2, activation: Activations.GELU)"
    )


def test_a_constructor_without_a_counterpart_is_refused() -> None:
    with pytest.raises(Untranslatable, match="TorchSharp has no RMSNorm with these arguments: normalized_shape: int"):
        constructed(nn.RMSNorm, {"normalized_shape": 4})


class Net(nn.Module):
    pass


def test_lists_that_a_class_of_the_model_takes_are_collections() -> None:
    sizes = ir.ListLiteral((known(1), known(2)), type=types.ListOf(types.INT))
    made = ir.Construct(Net, (ir.Argument("sizes", sizes),), type=types.ModuleOf(Net))
    assert text(lower(begin(classes={Net: "Net"}), made)) == "new Net([1, 2])"


def test_a_default_before_a_parameter_without_one_is_given() -> None:
    """C# has none there."""
    flag, size = ir.Parameter("flag", types.BOOL, known(True)), ir.Parameter("size", types.INT)
    last = ir.Parameter("last", types.INT, known(3))
    emission = begin(classes={Net: "Net"}, constructors={Net: (flag, size, last)})
    made = ir.Construct(Net, (ir.Argument("size", known(4), False),), type=types.ModuleOf(Net))
    assert text(lower(emission, made)) == "new Net(size: 4, flag: true)"
