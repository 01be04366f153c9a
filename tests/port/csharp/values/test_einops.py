"""einops.py: calls of einops, and its layers, as calls of helpers."""

from __future__ import annotations

import pytest
import torch
from einops.layers.torch import Rearrange, Reduce
from torch import nn

from bridge.port.csharp.calls.layers import layer
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir.types import TENSOR
from tests.port.csharp.values.given import N, X, csharp, lit


def called(name: str, *words: str, **lengths: ir.Expression) -> ir.BuiltinCall:
    """Return a call of einops."""
    keywords = tuple(ir.Argument(axis, value, False) for axis, value in lengths.items())
    return ir.BuiltinCall(f"einops.{name}", (X, *map(lit, words)), keywords, type=TENSOR)


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (called("rearrange", "a b -> b a"), 'PythonMath.Rearrange(x, "a b -> b a")'),
        (called("repeat", "b -> a b n", a=lit(2), n=N), 'PythonMath.Repeat(x, "b -> a b n", ("a", 2), ("n", n))'),
        (called("reduce", "a b -> a", "mean"), 'PythonMath.Reduce(x, "a b -> a", "mean")'),
    ],
)
def test_a_call(node: ir.BuiltinCall, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    ("module", "wanted"),
    [
        (Rearrange("a (b c) -> a b c", b=2), 'PythonMath.RearrangeLayer("a (b c) -> a b c", ("b", 2))'),
        (Reduce("a b -> a", "max"), 'PythonMath.ReduceLayer("a b -> a", "max")'),
    ],
)
def test_a_layer(module: nn.Module, wanted: str) -> None:
    emission = begin()
    made = layer(emission, module, {})
    assert made is not None
    assert text(made) == wanted
    assert text(emission.module_type(type(module))) == "Module<Tensor, Tensor>"


def test_a_layer_that_reduces_by_a_function_is_none_of_the_project() -> None:
    assert layer(begin(), Reduce("a b -> a", torch.logsumexp), {}) is None  # type: ignore[arg-type]  # einops takes a function
