"""members.py: the table of TorchSharp's members, and how arguments are laid over their parameters."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.port.csharp import tree as t
from bridge.port.csharp.calls.fitting import known
from bridge.port.csharp.calls.member_table import MISSING, enumeration, overloads, parsed
from bridge.port.csharp.calls.members import Call, resolve
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types

X = ir.Local("x", type=types.TENSOR)
N = ir.Local("n", type=types.INT)
LONG, TENSOR = t.Type("long"), t.Type("Tensor")


def called(holder: str, name: str, given: dict[str, Any], **options: Any) -> str | None:
    values = {key: value if isinstance(value, ir.Expression) else known(value) for key, value in given.items()}
    order = options.pop("order", tuple(given))
    found = resolve(begin(), overloads(holder, name), Call(values, order, **options))
    return None if found is None else ", ".join(map(text, found.arguments))


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("Tensor", TENSOR),
        ("long?", t.Type("long", nullable=True)),
        ("long[]", t.ArrayType("[]", (LONG,))),
        ("float[,]", t.ArrayType("[,]", (t.Type("float"),))),
        ("(long,long)?", t.TupleType("", (LONG, LONG), True)),
        ("IList<Tensor>", t.Type("IList", (TENSOR,))),
        ("Func<Tensor,Tensor>", t.Type("Func", (TENSOR, TENSOR))),
        ("IEnumerable<(string,Tensor)>", t.Type("IEnumerable", (t.TupleType("", (t.Type("string"), TENSOR)),))),
    ],
)
def test_types_are_read_once(written: str, wanted: t.Type) -> None:
    assert parsed(written) == wanted


def test_the_table_has_spreads_defaults_and_groups() -> None:
    (view,) = overloads("Tensor", "view")
    assert view.parameters[0].spread
    assert not view.parameters[0].required
    (dropout,) = overloads("functional", "dropout")
    assert [one.default for one in dropout.parameters] == [MISSING, 0.5, True, False]
    assert {one.parameters[0].count for one in overloads("torch", "zeros")} == {1, 2, 3, 4}
    assert overloads("torch", "no_such_function") == ()
    assert enumeration("InterpolationMode")["nearestexact"] == "NearestExact"  # type: ignore[index]  # it is one
    assert enumeration("Tensor") is None


@pytest.mark.parametrize(
    ("holder", "name", "given", "wanted"),
    [
        ("torch", "flatten", {"input": X, "start_dim": 1}, "x, 1"),
        ("torch", "flatten", {"input": X, "end_dim": 2}, "x, end_dim: 2"),
        ("functional", "pad", {"input": X, "pad": (1, 1, 1, 1)}, "x, (1, 1, 1, 1)"),  # not F.pad(x, 1)
        ("Tensor", "permute", {"dims": (0, 2, 1)}, "0, 2, 1"),
        ("Tensor", "mean", {"dim": (2, 3), "keepdim": True}, "new long[] { 2, 3 }, true"),
        ("torch", "zeros", {"size": (2, 3)}, "2, 3"),
        ("torch", "zeros", {"size": (2,)}, "2"),
        ("Tensor", "transpose", {"dim0": 1, "dim1": 2}, "1, 2"),
        ("Tensor", "div", {"other": 2, "rounding_mode": "floor"}, "2, RoundingMode.floor"),
        ("torch", "div", {"input": X, "other": 2, "rounding_mode": "floor"}, None),  # it ignores the mode
        ("Tensor", "split", {"split_size": N, "dim": 1}, "n, 1"),  # an array of one number splits otherwise
    ],
)
def test_arguments_find_their_parameters(holder: str, name: str, given: dict[str, Any], wanted: str | None) -> None:
    assert called(holder, name, given) == wanted


@pytest.mark.parametrize(
    ("holder", "name", "given", "defaults", "wanted"),
    [
        ("functional", "kl_div", {"input": X, "target": X}, {"log_target": False}, "x, x, false"),  # true in TorchSharp
        ("torch", "addcmul", {"input": X, "tensor1": X, "tensor2": X}, {"value": 1}, "x, x, x, 1"),  # demanded there
        ("functional", "dropout", {"input": X}, {"p": 0.5, "training": True}, "x"),  # the same in both
        ("functional", "conv2d", {"input": X, "weight": X}, {"stride": 1}, "x, x"),  # whose null is PyTorch's default
    ],
)
def test_defaults_of_pytorch_are_written_where_torchsharp_has_others(
    holder: str, name: str, given: dict[str, Any], defaults: dict[str, Any], wanted: str
) -> None:
    assert called(holder, name, given, defaults=defaults) == wanted


def test_calls_that_no_overload_takes_have_none() -> None:
    assert called("nn", "Linear", {"in_features": 4}) is None
    assert called("torch", "flatten", {"input": X, "no_such": 1}, order=("input",)) is None
    assert called("Tensor", "quantile", {"q": X}) is None, "without a dimension PyTorch takes all elements"


def test_equal_numbers_are_one_where_a_layer_is_made_only() -> None:
    given = {"in_channels": 3, "out_channels": 8, "kernel_size": (3, 3)}
    assert called("nn", "Conv2d", given, layer=True) == "3, 8, 3"
    assert called("functional", "avg_pool2d", {"input": X, "kernel_size": (3, 3)}) == "x, (3, 3)"
