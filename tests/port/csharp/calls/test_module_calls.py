"""module_calls.py: calls of modules, of the model's own functions, and of functions that are values."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.csharp import tree as t
from bridge.port.csharp.calls.fitting import known
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.errors import Untranslatable

TENSOR, INT = types.TENSOR, types.INT
PAIR = types.TupleOf((TENSOR, TENSOR))
NESTED = types.TupleOf((TENSOR, PAIR))
X, H, C = (ir.Local(name, type=TENSOR) for name in ("x", "h", "c"))


class Block(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, *rest: torch.Tensor) -> torch.Tensor:
        return x


def helper(x: torch.Tensor, sizes: tuple[int, ...], scale: float = 1.0) -> torch.Tensor:
    return x


assert isinstance(helper, FunctionType)
HELPER: FunctionType = helper


def argument(name: str, value: Any, positional: bool = True) -> ir.Argument:
    return ir.Argument(name, value if isinstance(value, ir.Expression) else known(value), positional)


def called(kind: type, given: Mapping[str, Any], result: types.Type = TENSOR, emission: Emission | None = None) -> str:
    module = ir.Field("layer", type=types.ModuleOf(kind))
    arguments = tuple(argument(name, value) for name, value in given.items())
    return text((emission or begin()).expression(ir.ModuleCall(module, arguments, type=result)))


STATE = ir.TupleLiteral((H, C), type=PAIR)


@pytest.mark.parametrize(
    ("kind", "given", "result", "wanted"),
    [
        (nn.Linear, {"input": X}, TENSOR, "layer.call(x)"),
        (nn.Bilinear, {"input1": X, "input2": H}, TENSOR, "layer.call(x, h)"),
        (nn.GRU, {"input": X, "hx": H}, PAIR, "layer.call(x, h)"),
        (nn.GRU, {"input": X, "hx": None}, PAIR, "layer.call(x)"),
        (nn.LSTM, {"input": X}, NESTED, "PythonMath.NestedState(layer.call(x))"),
        (nn.LSTM, {"input": X, "hx": STATE}, NESTED, "PythonMath.NestedState(layer.call(x, (h, c)))"),
        (nn.GRUCell, {"input": X}, TENSOR, "layer.call(x, null)"),  # which has no default for the state
        (nn.LSTMCell, {"input": X, "hx": STATE}, PAIR, "layer.call(x, (h, c))"),
        (nn.MultiheadAttention, {"query": X, "key": X, "value": X}, PAIR, "layer.call(x, x, x).ToValueTuple()"),
        (nn.MultiheadAttention, {"query": X, "key": X, "value": X, "attn_mask": H}, PAIR,
         "layer.call(x, x, x, null, true, h).ToValueTuple()"),
        (nn.MultiheadAttention, {"query": X, "key": X, "value": X, "average_attn_weights": True, "is_causal": False}, PAIR,
         "layer.call(x, x, x).ToValueTuple()"),
        (nn.CrossEntropyLoss, {"input": X, "target": H}, TENSOR, "layer.call(x, h)"),
    ],
)  # fmt: skip
def test_a_layer_is_called_as_torchsharp_does(
    kind: type, given: dict[str, Any], result: types.Type, wanted: str
) -> None:
    assert called(kind, given, result) == wanted


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (nn.MultiheadAttention, {"query": X, "key": X, "value": X, "average_attn_weights": False}),
        (nn.ConvTranspose2d, {"input": X, "output_size": (2, 2)}),
        (nn.Linear, {"input": "x"}),
    ],
)
def test_arguments_that_torchsharps_layer_takes_not_are_refused(kind: type, given: dict[str, Any]) -> None:
    with pytest.raises(Untranslatable):
        called(kind, given, PAIR if kind is nn.MultiheadAttention else TENSOR)


FORWARD = (
    ir.Parameter("x", TENSOR),
    ir.Parameter("mask", types.OptionalOf(TENSOR), known(None)),
    ir.Parameter("rest", types.ListOf(TENSOR), known(()), spread=True),
)
OWN = begin(classes={Block: "Block"}, headers={Block: FORWARD})


def test_a_module_of_the_models_own_is_given_each_argument() -> None:
    assert called(Block, {"x": X}, emission=OWN) == "layer.call(x, null)"
    rest = ir.ListLiteral((H, C), type=types.ListOf(TENSOR))
    assert called(Block, {"x": X, "rest": rest}, emission=OWN) == "layer.call(x, null, h, c)"


def test_a_module_takes_six_arguments_at_most() -> None:
    parameters = tuple(ir.Parameter(f"p{place}", TENSOR) for place in range(7))
    with pytest.raises(Untranslatable, match="7 arguments, of which TorchSharp's modules take 6"):
        called(Block, dict.fromkeys((one.name for one in parameters), X), emission=begin(headers={Block: parameters}))


def test_functions_are_called_by_name_where_python_does() -> None:
    parameters = (
        ir.Parameter("x", TENSOR),
        ir.Parameter("sizes", types.SIZES),
        ir.Parameter("scale", types.FLOAT, known(1.0)),
    )
    emission = begin(functions={HELPER: t.Member(t.Name("Functions"), "helper")}, headers={HELPER: parameters})
    sizes = ir.Local("sizes", type=types.ListOf(INT))
    given = (argument("x", X), argument("sizes", sizes), argument("scale", 2.0, positional=False))
    node = ir.FunctionCall(HELPER, given, type=TENSOR)
    assert text(emission.expression(node)) == "Functions.helper(x, sizes.ToArray(), scale: 2.0)"


def test_a_function_that_is_a_value_is_its_name_where_it_takes_nothing_else() -> None:
    parameters = (ir.Parameter("x", TENSOR), ir.Parameter("scale", types.FLOAT, known(1.0)))
    for taken, wanted in ((parameters[:1], "Functions.helper"), (parameters, "x => Functions.helper(x)")):
        emission = begin(functions={HELPER: t.Member(t.Name("Functions"), "helper")}, headers={HELPER: taken})
        call = ir.FunctionCall(HELPER, (argument("x", X),), type=TENSOR)
        node = ir.Lambda(("x",), call, type=types.FunctionOf((TENSOR,), TENSOR))
        assert text(emission.expression(node)) == wanted


def test_methods_are_called_on_the_module_or_on_another() -> None:
    emission = begin(methods={HELPER: "Helped"})
    own = ir.MethodCall(ir.Self(type=types.ModuleOf(Block)), HELPER, (argument("x", X),), type=TENSOR)
    assert text(emission.expression(own)) == "Helped(x)"
    other = ir.MethodCall(ir.Field("block", type=types.ModuleOf(Block)), HELPER, (argument("x", X),), type=TENSOR)
    assert text(emission.expression(other)) == "block.Helped(x)"


def test_functions_that_are_values_are_called() -> None:
    function = ir.Local("f", type=types.FunctionOf((TENSOR,), TENSOR))
    assert text(begin().expression(ir.ValueCall(function, (X,), type=TENSOR))) == "f(x)"
