"""rewrites.py: calls of PyTorch as other calls of it; those of calls.tsv are not repeated here."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from bridge.port.csharp.calls.fitting import known
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.errors import Untranslatable

X, Y, P = (ir.Local(name, type=kind) for name, kind in (("x", types.TENSOR), ("y", types.TENSOR), ("p", types.FLOAT)))
N = ir.Local("n", type=types.INT)
#: A tensor that has no name, so that it must not be written twice.
MADE = ir.TorchCall(torch.relu, None, (ir.Argument("input", X),), ("input",), type=types.TENSOR)


def called(function: Any, given: dict[str, Any], receiver: ir.Expression | None = None, rank: int = -1) -> str:
    values = {name: value if isinstance(value, ir.Expression) else known(value) for name, value in given.items()}
    arguments = tuple(ir.Argument(name, value) for name, value in values.items())
    node = ir.TorchCall(function, receiver, arguments, tuple(values), rank, type=types.TENSOR)
    return text(begin().expression(node))


@pytest.mark.parametrize(
    ("function", "given", "rank", "wanted"),
    [
        (F.log_softmax, {"input": X}, 3, "F.log_softmax(x, 0)"),
        (F.log_softmax, {"input": X}, 4, "F.log_softmax(x, 1)"),
        (F.softmax, {"input": X, "dim": None, "_stacklevel": 3}, 2, "F.softmax(x, 1)"),
        (F.interpolate, {"input": X, "scale_factor": 2.0}, 3, "F.interpolate(x, scale_factor: new double[] { 2.0 })"),
        (F.scaled_dot_product_attention, {"query": X, "key": Y, "value": Y, "enable_gqa": True}, 4,
         "F.scaled_dot_product_attention(x, y.repeat_interleave(x.shape[^3] / y.shape[^3], -3), "
         "y.repeat_interleave(x.shape[^3] / y.shape[^3], -3))"),
        (F.scaled_dot_product_attention, {"query": X, "key": Y, "value": Y, "scale": P}, 4,
         "F.scaled_dot_product_attention(x * (p * Math.Sqrt(x.shape[^1])), y, y)"),
        (F.embedding, {"input": X, "weight": Y, "padding_idx": 1, "max_norm": None, "norm_type": 2.0}, 2,
         "PythonMath.Embedding(x, y, 1)"),
        (F.embedding, {"input": X, "weight": Y, "padding_idx": None}, 2, "PythonMath.Embedding(x, y)"),
        (torch.sub, {"input": X, "other": Y, "alpha": P}, 2, "x - y * p"),
        (torch.scalar_tensor, {"s": 0}, -1, "torch.tensor(0L, dtype: torch.float32)"),
        (torch.div, {"input": known(7), "other": N, "rounding_mode": "trunc"}, -1, "torch.tensor(7L).div(n, RoundingMode.trunc)"),
        (torch.norm, {"input": X, "p": "fro"}, 2, "torch.norm(x)"),
        (torch.norm, {"input": X, "p": 1}, 2, "torch.norm(x, 1.0f)"),
        (torch.where, {"condition": Y, "input": X, "other": 0.0}, 2, "torch.where(y, x, 0.0f)"),
        (torch.scatter, {"input": X, "dim": 1, "index": MADE, "value": 1.0}, 2, "PythonMath.Scatter(x, 1, F.relu(x), 1.0, false)"),
        (F.conv1d, {"input": X, "weight": Y, "stride": (2,), "padding": (1,)}, 3, "F.conv1d(x, y, stride: 2, padding: 1)"),
    ],
)  # fmt: skip
def test_a_call_is_another_that_torchsharp_has(function: Any, given: dict[str, Any], rank: int, wanted: str) -> None:
    assert " ".join(called(function, given, rank=rank).split()).replace("( ", "(") == wanted


@pytest.mark.parametrize(
    ("function", "given", "receiver"),
    [
        (F.softmax, {"input": X}, None),  # of an input whose rank no run showed
        (F.interpolate, {"input": X, "size": 4}, None),
        (F.kl_div, {"input": MADE, "target": Y, "reduction": "batchmean"}, None),
        (F.scaled_dot_product_attention, {"query": MADE, "key": Y, "value": Y, "scale": 0.5}, None),
        (torch.Tensor.std, {"dim": 1, "correction": 2}, X),
        (F.embedding, {"input": X, "weight": Y, "max_norm": 1.0}, None),
        (torch.norm, {"input": X, "p": 1, "dim": (1, 2)}, None),
        (torch.div, {"input": N, "other": X}, None),
    ],
)
def test_calls_that_would_be_others_are_refused(
    function: Any, given: dict[str, Any], receiver: ir.Expression | None
) -> None:
    with pytest.raises(Untranslatable):
        called(function, given, receiver)
