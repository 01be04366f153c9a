"""fitting.py: how a value becomes an argument for a parameter's type."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from bridge.port.csharp.calls.fitting import Fitting, is_sequence, known
from bridge.port.csharp.calls.member_table import parsed
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types

INT, FLOAT, TENSOR = types.INT, types.FLOAT, types.TENSOR


def fitted(value: ir.Expression, wanted: str, dimensions: int = 1) -> str | None:
    found = Fitting(begin(), dimensions=dimensions).fit(value, parsed(wanted))
    return None if found is None else text(found.expression)


def local(kind: types.Type) -> ir.Local:
    return ir.Local("a", type=kind)


@pytest.mark.parametrize(
    ("value", "wanted", "written"),
    [
        (2, "long", "2"), (2**40, "long", "1099511627776L"), (2**40, "int", "(int)1099511627776L"), (2, "double", "2"),
        (0.5, "double", "0.5"), (1e-5, "double", "1e-05"), (0.5, "float", "0.5f"), (2.5, "long", None),
        (True, "bool", "true"), (True, "long", None), ('a "b"', "string", '"a \\"b\\""'),
        (None, "long?", "null"), (None, "Tensor", "null"), (None, "long", None), (None, "Reduction", None),
        ((1, 2), "(long,long)", "(1, 2)"), ((1, 2, 3), "(long,long)", None), ((1, 1), "(long,long)", "(1, 1)"),
        ((1, 2), "long[]", "new long[] { 1, 2 }"), ((1, 1), "long", None), (3, "long[]", "new long[] { 3 }"),
        (math.inf, "double", "double.PositiveInfinity"), (-math.inf, "float", "float.NegativeInfinity"),
        (torch.float16, "ScalarType", "torch.float16"), (bool, "ScalarType", "torch.@bool"), (float, "ScalarType", "torch.float64"),
        ("bilinear", "InterpolationMode", "InterpolationMode.Bilinear"), ("batchmean", "Reduction", None),
        ("nearest-exact", "InterpolationMode", "InterpolationMode.NearestExact"), ("cpu", "Device", '"cpu"'),
        (F.relu, "Func<Tensor,Tensor>", "x => F.relu(x)"), (F.relu, "Activations", "Activations.ReLU"),
        (0.5, "Tensor", "0.5f"), (0.1, "Tensor", "0.1"), (1, "Tensor", "1L"),  # of PyTorch's types, where these hold it
    ],
)  # fmt: skip
def test_a_known_value_is_written_as_the_type_wants_it(value: Any, wanted: str, written: str | None) -> None:
    assert fitted(known(value), wanted) == written


@pytest.mark.parametrize(
    ("kind", "wanted", "written"),
    [
        (INT, "long", "a"), (INT, "int", "(int)a"), (INT, "double", "a"), (INT, "long[]", "new long[] { a }"), (INT, "bool", None),
        (INT, "(long,long)", "(a, a)"), (FLOAT, "float", "(float)a"), (FLOAT, "long", None), (FLOAT, "Scalar", "a"),
        (types.OptionalOf(INT), "long", "a.Value"), (types.OptionalOf(INT), "long?", "a"), (types.OptionalOf(INT), "Scalar", None),
        (types.OptionalOf(TENSOR), "Tensor", "a"), (TENSOR, "Scalar", None), (types.STR, "Tensor", None),
        (types.SIZES, "long[]", "a"), (types.ListOf(INT), "long[]", "a.ToArray()"), (types.ListOf(FLOAT), "long[]", None),
        (types.SIZES, "(long,long)", "(a[0], a[1])"),
        (types.TupleOf((INT, INT)), "long[]", "new long[] { a.Item1, a.Item2 }"), (types.TupleOf((INT,)), "long[]", "new long[] { a }"),
        (types.TupleOf((INT, INT)), "(long,long)", "a"), (types.TupleOf((INT, INT)), "(long,long,long)", None),
        (types.ListOf(TENSOR), "IEnumerable<Tensor>", "a"), (types.ListOf(TENSOR), "Tensor[]", "a.ToArray()"),
        (types.IteratorOf(TENSOR), "IEnumerable<Tensor>", "a"), (types.IteratorOf(TENSOR), "IList<Tensor>", None),
        (types.DTYPE, "ScalarType?", "a"), (types.DEVICE, "Device", "a"), (types.BOOL, "long", None),
    ],
)  # fmt: skip
def test_a_value_is_converted_where_csharp_does_not_by_itself(
    kind: types.Type, wanted: str, written: str | None
) -> None:
    assert fitted(local(kind), wanted) == written


def test_a_number_stands_for_all_dimensions() -> None:
    assert fitted(known(2), "long[]", 2) == "new long[] { 2, 2 }"


def test_the_array_that_a_call_gives_is_passed_as_it_is() -> None:
    argument = (ir.Argument("chunks", known(2)),)
    chunks = ir.TorchCall(torch.Tensor.chunk, local(TENSOR), argument, ("chunks", "dim"), type=types.ListOf(TENSOR))
    assert fitted(chunks, "Tensor[]") == "a.chunk(2)"
    assert fitted(chunks, "IList<Tensor>") == "a.chunk(2)"


def test_lists_that_are_added_are_one() -> None:
    x, rest = local(TENSOR), ir.Local("rest", type=types.ListOf(TENSOR))
    added = ir.Binary("+", ir.ListLiteral((x,), type=types.ListOf(TENSOR)), rest, type=types.ListOf(TENSOR))
    assert is_sequence(added) == (x, ir.Spread(rest))
    assert fitted(added, "Tensor[]") == "[a, .. rest]"
