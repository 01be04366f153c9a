"""indexing.py: items, slices and indices of tensors."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import FLOAT, INT, SIZES, STR, TENSOR, ListOf, ModuleOf, ModulesOf
from tests.port.csharp.values.given import (
    INTS,
    PAIR,
    SHAPE,
    SIZE,
    TABLE,
    TENSORS,
    A,
    C,
    M,
    N,
    S,
    X,
    Y,
    builtin,
    csharp,
    list_of,
    lit,
    tuple_of,
)  # fmt: skip

_BLOCKS = ir.Field("blocks", type=ModulesOf(nn.ModuleList, ModuleOf(nn.Module)))
_CHAIN = ir.Field("chain", type=ModulesOf(nn.Sequential, ModuleOf(nn.Module)))
_NAMED = ir.Field("named", type=ModulesOf(nn.ModuleDict, ModuleOf(nn.Linear)))


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (ir.Item(SHAPE, lit(-1), type=INT), "x.shape[^1]"),
        (ir.Item(TENSORS, lit(0), type=TENSOR), "tensors[0]"),
        (ir.Item(TENSORS, C, type=TENSOR), "tensors[(int)x.shape[0]]"),
        (ir.Item(SIZE, C, type=INT), "size[x.shape[0]]"),
        (ir.Item(TENSORS, N, type=TENSOR), "PythonMath.Item(tensors, n)"),
        (ir.Item(S, lit(0), type=STR), "PythonMath.Character(s, 0)"),
        (ir.Item(TABLE, lit("a"), type=TENSOR), 'table["a"]'),
        (ir.Item(_NAMED, S, type=ModuleOf(nn.Linear)), "named[s]"),
        (ir.Item(_BLOCKS, lit(0), type=ModuleOf(nn.Linear)), "(Linear)blocks[0]"),
        (ir.Item(_CHAIN, lit(1), type=ModuleOf(nn.Linear)), "chain[1]"),
        (ir.Property(ir.Item(_CHAIN, lit(1), type=ModuleOf(nn.Linear)), "weight", type=TENSOR), "((Linear)chain[1]).weight"),
        (ir.TupleItem(PAIR, 1, type=TENSOR), "pair.Item2"),
        (ir.TupleItem(tuple_of(N, X), 1, type=TENSOR), "x"),
        (ir.TupleItem(SHAPE, 1, type=INT), "x.shape[1]"),
    ],
)  # fmt: skip
def test_items(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (ir.Slice(SHAPE, lit(-2), None, type=SIZES), "x.shape[^2..]"),
        (ir.Slice(SHAPE, C, None, type=SIZES), "x.shape.Take((int)x.shape[0]..).ToArray()"),
        (ir.Slice(INTS, lit(1), None, type=INTS.type), "ints.Take(1..).ToList()"),
        (ir.Slice(INTS, None, lit(-1), type=INTS.type), "ints.Take(..^1).ToList()"),
        (ir.Slice(INTS, None, None, lit(-1), type=INTS.type), "Enumerable.Reverse(ints).ToList()"),
        (
            ir.Slice(INTS, builtin("abs", N), None, type=INTS.type),
            "PythonMath.Slice(ints, Math.Abs(n))",
        ),  # beyond an int
        (ir.Slice(INTS, lit(2**31), None, type=INTS.type), "PythonMath.Slice(ints, 2147483648L)"),
        (ir.Slice(_BLOCKS, C, None, type=_BLOCKS.type), "blocks.Take((int)x.shape[0]..)"),
        (ir.Slice(INTS, N, M, type=INTS.type), "PythonMath.Slice(ints, n, m)"),
        (ir.Slice(INTS, None, None, lit(2), type=INTS.type), "PythonMath.Slice(ints, null, null, 2)"),
        (ir.Slice(S, None, lit(3), type=STR), "PythonMath.Part(s, null, 3)"),
        (ir.Slice(_BLOCKS, lit(1), None, type=_BLOCKS.type), "blocks.Take(1..)"),
        (builtin("len", ir.Slice(_BLOCKS, lit(1), None, type=_BLOCKS.type)), "blocks.Take(1..).Count()"),
    ],
)
def test_slices(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


_ALL = ir.Span(None, None)


@pytest.mark.parametrize(
    ("indices", "wanted"),
    [
        ((_ALL, lit(0)), "x[.., 0]"),
        ((lit(...), ir.Span(lit(1), lit(2)), _ALL), "x[TensorIndex.Ellipsis, TensorIndex.Slice(1, 2), ..]"),
        ((_ALL, lit(None), lit(-1)), "x[.., TensorIndex.None, -1]"),
        ((ir.Span(None, N),), "x[TensorIndex.Slice(null, n)]"),
        ((ir.Span(None, None, lit(2)),), "x[TensorIndex.Slice(null, null, 2)]"),
        ((Y,), "x[TensorIndex.Tensor(y)]"),
        ((list_of(lit(0)), ir.Span(lit(1), lit(4))), "x[TensorIndex.Tensor(torch.tensor(new long[] { 0 })), TensorIndex.Slice(1, 4)]"),
        ((INTS,), "x[TensorIndex.Tensor(torch.tensor(ints.ToArray()))]"),
        ((PAIR,), "x[pair.Item1, TensorIndex.Tensor(pair.Item2)]"),
    ],
)  # fmt: skip
def test_tensors(indices: tuple[ir.Expression | ir.Span, ...], wanted: str) -> None:
    assert csharp(ir.TensorIndex(X, indices, type=TENSOR)) == wanted


@pytest.mark.parametrize(
    "node",
    [
        ir.Item(_CHAIN, N, type=ModuleOf(nn.Linear)),
        ir.Item(PAIR, N, type=INT),
        ir.Item(INTS, A, type=INT),
        ir.Slice(_BLOCKS, N, None, type=_BLOCKS.type),
        ir.Slice(_CHAIN, lit(1), None, type=_CHAIN.type),
        ir.TensorIndex(X, (A,), type=TENSOR),
        ir.TensorIndex(X, (SIZE,), type=TENSOR),
        ir.TensorIndex(X, (ir.Local("v", type=ListOf(FLOAT)),), type=TENSOR),
    ],
)
def test_refused(node: ir.Expression) -> None:
    with pytest.raises(Untranslatable):
        csharp(node)
