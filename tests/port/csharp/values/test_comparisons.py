"""comparisons.py: equality, order, identity and membership by Python's rules."""

from __future__ import annotations

import pytest
import torch

from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import BOOL, DEVICE, DTYPE, INT, TENSOR, ListOf, OptionalOf, TupleOf
from tests.port.csharp.values.given import (
    COUNTS,
    INTS,
    MAYBE,
    MAYBE_N,
    PAIR,
    SHAPE,
    SIZE,
    TABLE,
    TENSORS,
    UNIQUE,
    A,
    M,
    N,
    P,
    S,
    T,
    X,
    Y,
    binary,
    builtin,
    compare,
    csharp,
    list_of,
    lit,
    tuple_of,
)  # fmt: skip

_DTYPE = ir.Property(X, "dtype", type=DTYPE)
_CALL = ir.TorchCall(torch.Tensor.float, X, (), type=TENSOR)


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (compare("<", N, M), "n < m"),
        (compare("==", N, A), "n == a"),
        (compare("==", P, lit(1)), "(p ? 1 : 0) == 1"),
        (compare(">", X, lit(0)), "x.gt(0)"),
        (compare("<", lit(0), X), "x.gt(0)"),
        (compare("==", X, Y), "x.eq(y)"),
        (compare("==", S, lit("same")), 's == "same"'),
        (compare("<", S, T), "string.CompareOrdinal(s, t) < 0"),
        (compare("==", SHAPE, SIZE), "x.shape.SequenceEqual(size)"),
        (compare("!=", SHAPE, tuple_of(N, lit(2))), "!x.shape.SequenceEqual(new long[] { n, 2 })"),
        (compare("==", INTS, INTS), "ints.SequenceEqual(ints)"),
        (compare("==", tuple_of(N, M), tuple_of(M, N)), "(n, m) == (m, n)"),
        (compare("==", MAYBE_N, N), "maybeN == n"),
        (compare("==", _DTYPE, ir.Literal(torch.float32, type=DTYPE)), "x.dtype == torch.float32"),
    ],
)
def test_equality_and_order(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (compare("is", MAYBE, lit(None)), "maybe is null"),
        (compare("is-not", lit(None), MAYBE), "maybe is not null"),
        (compare("is", X, lit(None)), "false"),
        (compare("==", MAYBE_N, lit(None)), "maybeN is null"),
        (compare("is", X, Y), "ReferenceEquals(x, y)"),
        (compare("is-not", X, Y), "!ReferenceEquals(x, y)"),
        (compare("is", P, lit(True)), "p"),
        (compare("is-not", P, lit(True)), "!p"),
        (compare("is", ir.Local("p", type=OptionalOf(BOOL)), lit(False)), "p == false"),
    ],
)
def test_identity(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (compare("in", S, tuple_of(lit("a"), lit("b"))), 's is "a" or "b"'),
        (compare("not-in", N, list_of(lit(1), lit(2))), "!(n is 1 or 2)"),
        (compare("in", builtin("len", INTS), list_of(lit(1), lit(2**40))), "(long)ints.Count is 1 or 1099511627776L"),
        (compare("in", S, tuple_of(lit("a"))), 's == "a"'),
        (compare("in", MAYBE_N, tuple_of(lit(None), lit(1))), "maybeN is null or 1"),
        (compare("in", N, tuple_of(M, lit(1))), "n == m || n == 1"),
        (compare("in", N, list_of(M, builtin("max", INTS))), "new List<long> { m, ints.Max() }.Contains(n)"),
        (compare("in", N, list_of(builtin("max", INTS), M)), "n == ints.Max() || n == m"),
        (compare("in", S, TABLE), "table.ContainsKey(s)"),
        (compare("not-in", S, COUNTS), "!counts.ContainsKey(s)"),
        (compare("in", N, INTS), "ints.Contains(n)"),
        (compare("in", N, UNIQUE), "unique.Contains(n)"),
        (compare("in", N, SHAPE), "x.shape.Contains(n)"),
        (compare("in", lit("a"), S), 's.Contains("a")'),
    ],
)
def test_membership(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (compare("is", _CALL, X), "identity of the result of a call"),
        (compare("is", N, M), "the identity of a int"),
        (compare("in", X, TENSORS), "a Tensor in a list"),
        (compare("==", TENSORS, TENSORS), "'=='"),
        (compare("<", MAYBE_N, N), "'<' of a int | None"),
        (compare("==", N, S), "'==' of a int and a str"),
        (compare("<", PAIR, PAIR), "'<'"),
        (compare("==", X, MAYBE), "compared with a Tensor | None"),
        (
            compare("==", ir.Local("d", type=OptionalOf(DEVICE)), ir.Local("e", type=DEVICE)),
            "a device that may be None",
        ),
        (compare("in", tuple_of(N, M), ir.Local("l", type=ListOf(TupleOf((INT, TENSOR))))), "in a list"),
        (compare("<", lit(0.5), binary("+", X, lit(1))), None),
    ],
)
def test_what_has_no_equal_in_c_sharp_is_refused(node: ir.Expression, why: str | None) -> None:
    if why is None:  # for a literal at the left stands still
        assert csharp(node) == "(x + 1).gt(0.5)"
        return
    with pytest.raises(Untranslatable, match=why.replace("|", r"\|")):
        csharp(node)
