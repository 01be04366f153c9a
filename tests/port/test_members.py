"""members.py: arguments are laid over the parameters that TorchSharp has."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from bridge.port.members import Argument, Constant, Many, Text, call, fit, literal, overloads


def called(holder: str, name: str, given: dict[str, Any], order: list[str] | None = None) -> str | None:
    arguments: dict[str, Argument] = {
        key: value if isinstance(value, (Text, Many)) else Constant(value) for key, value in given.items()
    }
    found = call(overloads(holder, name), arguments, order or list(given))
    return None if found is None else found[0]


X = Text("x", "Tensor")


@pytest.mark.parametrize(
    ("holder", "name", "given", "words"),
    [
        ("nn", "Conv2d", {"in_channels": 3, "out_channels": 8, "kernel_size": 3}, "3, 8, 3"),
        ("nn", "Conv2d", {"in_channels": 3, "out_channels": 8, "kernel_size": 3, "bias": False}, "3, 8, 3, bias: false"),
        ("nn", "Conv2d", {"in_channels": 3, "out_channels": 8, "kernel_size": (1, 7)}, "3, 8, (1, 7)"),
        ("nn", "Linear", {"in_features": 4, "out_features": 2, "bias": False}, "4, 2, hasBias: false"),
        ("torch", "flatten", {"input": X, "start_dim": 1}, "x, 1"),
        ("torch", "flatten", {"input": X, "end_dim": 2}, "x, end_dim: 2"),
        ("torch", "cat", {"tensors": Many((X, X)), "dim": 1}, "[x, x], 1"),
        ("functional", "adaptive_avg_pool2d", {"input": X, "output_size": (1, 2)}, "x, (1, 2)"),
        ("Tensor", "view", {"shape": Many((Text("n", "long"), Constant(-1)))}, "n, -1"),
        ("Tensor", "permute", {"dims": (0, 2, 1)}, "0, 2, 1"),
        ("nn", "Conv2d", {"in_channels": 3, "out_channels": 8, "kernel_size": 3, "padding": "same"}, "3, 8, 3, Padding.Same"),
        ("torch", "addcmul", {"input": X, "tensor1": X, "tensor2": X}, "x, x, x, 1"),
        ("torch", "div", {"input": X, "other": 2, "rounding_mode": "floor"}, "x, 2, RoundingMode.floor"),
        ("Tensor", "mean", {"dim": (2, 3), "keepdim": True}, "new long[] { 2, 3 }, true"),
    ],
)  # fmt: skip
def test_arguments_find_their_parameters(holder: str, name: str, given: dict[str, Any], words: str) -> None:
    assert called(holder, name, given) == words


def test_what_no_overload_takes_is_not_written() -> None:
    assert called("nn", "Linear", {"in_features": 4}) is None
    assert called("torch", "flatten", {"input": X, "no_such": 1}, ["input"]) is None
    assert overloads("torch", "no_such_function") == ()


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [(2, "long", "2"), (2**40, "long", "1099511627776L"), (0.5, "double", "0.5"), (1e-5, "double", "1e-05"), (True, "bool", "true"),
     ('a "b"', "string", '"a \\"b\\""'), (None, "long?", "null"), (None, "long", None), (2.5, "long", None), (True, "long", None),
     ((1, 2), "(long,long)", "(1, 2)"), ((1, 2, 3), "(long,long)", None), ((1, 2), "long[]", "new long[] { 1, 2 }"),
     (math.inf, "double", "double.PositiveInfinity"), (torch.float16, "ScalarType", "torch.float16")],
)  # fmt: skip
def test_a_value_is_written_as_the_type_wants_it(value: Any, type_: str, text: str | None) -> None:
    assert literal(value, type_) == text


def test_an_expression_is_converted_where_csharp_does_not_by_itself() -> None:
    assert fit(Text("a + b", "long", 11), "int") == "(int)(a + b)"
    assert fit(Text("sizes", "List<long>"), "long[]") == "sizes.ToArray()"
    assert fit(Text("k", "long"), "(long,long)") == "(k, k)"
    assert fit(Text("name", "string"), "Tensor") is None
