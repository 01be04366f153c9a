"""tensors.py: calls that TorchSharp writes otherwise; those of calls.tsv are not repeated here."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.port.csharp.calls.fitting import known
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.errors import Untranslatable

X = ir.Local("x", type=types.TENSOR)


def called(
    function: Any, given: dict[str, Any], kind: types.Type = types.TENSOR, receiver: ir.Expression | None = X
) -> str:
    values = {name: value if isinstance(value, ir.Expression) else known(value) for name, value in given.items()}
    arguments = tuple(ir.Argument(name, value) for name, value in values.items())
    return text(begin().expression(ir.TorchCall(function, receiver, arguments, tuple(values), type=kind)))


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [(types.INT, "x.ToInt64()"), (types.FLOAT, "x.ToDouble()"), (types.BOOL, "x.ToBoolean()")],
)
def test_an_element_is_of_the_type_that_it_has(kind: types.Type, wanted: str) -> None:
    assert called(torch.Tensor.item, {}, kind) == wanted


def test_a_tensor_that_may_be_none_is_taken_as_there() -> None:
    optional = ir.Local("x", type=types.OptionalOf(types.TENSOR))
    assert called(torch.Tensor.item, {}, types.INT, optional) == "x!.ToInt64()"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"dtype": torch.float16}, "x.to(torch.float16)"),
        ({"dtype": float}, "x.to(torch.float64)"),
        ({"device": "cpu", "non_blocking": True}, 'x.to("cpu")'),
        ({"other": X}, "x.to(x)"),
        ({"device": ir.Local("d", type=types.DEVICE), "dtype": torch.int64}, "x.to(torch.int64, d)"),
        ({"dtype": torch.int64, "copy": True}, "x.to(torch.int64, true)"),
        ({"memory_format": known(None)}, "x"),
        ({"dtype": ir.Local("d", type=types.OptionalOf(types.DTYPE))}, "x.to(d ?? x.dtype)"),
        (
            {
                "device": ir.Local("d", type=types.OptionalOf(types.DEVICE)),
                "dtype": ir.Local("t", type=types.OptionalOf(types.DTYPE)),
            },
            "x.to(t ?? x.dtype, d ?? x.device)",
        ),
    ],
)
def test_to_is_written_by_the_types_of_its_arguments(given: dict[str, Any], wanted: str) -> None:
    assert called(torch.Tensor.to, given) == wanted


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (2.0, "torch.tensor(2.0f)"),  # a double would become float64, which PyTorch's is not
        (3, "torch.tensor(3L)"),  # an int would become int32
        (True, "torch.tensor(true)"),
        ([[1, 2], [3, 4]], "torch.tensor(new long[] { 1, 2, 3, 4 }, new long[] { 2, 2 })"),
        (ir.Local("p", type=types.FLOAT), "torch.tensor(p, dtype: torch.float32)"),
        (ir.Local("a", type=types.ListOf(types.FLOAT)), "torch.tensor(a.ToArray(), dtype: torch.float32)"),
    ],
)
def test_numbers_become_tensors_of_pytorchs_types(data: Any, wanted: str) -> None:
    assert called(torch.tensor, {"data": data}, receiver=None) == wanted


def test_values_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(Untranslatable, match=r"tensor of a list\[str\]"):
        called(torch.tensor, {"data": ir.Local("a", type=types.ListOf(types.STR))}, receiver=None)
    with pytest.raises(Untranslatable, match="no run showed"):
        called(torch.Tensor.item, {}, types.UNKNOWN)


@pytest.mark.parametrize("function", [torch.tensor, torch.full])
def test_the_dtype_of_a_float_that_may_be_an_int_is_refused(function: Any) -> None:
    """torch.tensor(3) is a tensor of ints in Python, and that of a double is one of floats."""
    number = ir.Convert(ir.Local("n", type=types.INT), type=types.FLOAT)
    given: dict[str, Any] = {"data": number} if function is torch.tensor else {"size": (2,), "fill_value": number}
    with pytest.raises(Untranslatable, match="may be an int in Python"):
        called(function, given, receiver=None)
    assert "float64" in called(function, given | {"dtype": torch.float64}, receiver=None)
