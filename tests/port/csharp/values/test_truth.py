"""truth.py: what is tested, by its type."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import BOOL, INT, NONE, PACKED, STR, TENSOR, FunctionOf, ModuleOf, ModulesOf, OptionalOf
from tests.port.csharp.values.given import (
    INTS,
    MAYBE,
    MAYBE_N,
    PAIR,
    SHAPE,
    TABLE,
    A,
    M,
    N,
    P,
    Q,
    S,
    X,
    Y,
    builtin,
    compare,
    csharp,
    lit,
)  # fmt: skip


def _maybe(inner: object) -> ir.Local:
    return ir.Local("v", type=OptionalOf(inner))  # type: ignore[arg-type]


_BLOCKS = ir.Local("blocks", type=ModulesOf(nn.ModuleList, ModuleOf(nn.Linear)))


@pytest.mark.parametrize(
    ("value", "true", "false"),
    [
        (P, "p", "!p"),
        (N, "n != 0", "n == 0"),
        (A, "a != 0", "a == 0"),
        (S, "s.Length > 0", "s.Length == 0"),
        (X, "x.ToBoolean()", "!x.ToBoolean()"),
        (INTS, "ints.Count > 0", "ints.Count == 0"),
        (TABLE, "table.Count > 0", "table.Count == 0"),
        (SHAPE, "x.shape.Length > 0", "x.shape.Length == 0"),
        (_BLOCKS, "blocks.Count > 0", "blocks.Count == 0"),
        (PAIR, "true", "false"),
        (lit(None), "false", "true"),
        (ir.Local("f", type=ModuleOf(nn.Linear)), "true", "false"),
        (MAYBE, "maybe?.ToBoolean() == true", "maybe?.ToBoolean() != true"),
        (MAYBE_N, "(maybeN ?? 0) != 0", "(maybeN ?? 0) == 0"),
        (_maybe(BOOL), "v == true", "v != true"),
        (_maybe(STR), "!string.IsNullOrEmpty(v)", "string.IsNullOrEmpty(v)"),
        (_maybe(INTS.type), "v?.Count > 0", "!(v?.Count > 0)"),
        (_maybe(ModuleOf(nn.Linear)), "v is not null", "v is null"),
        (_maybe(FunctionOf((TENSOR,), TENSOR)), "v is not null", "v is null"),
    ],
)
def test_truth_and_its_opposite(value: ir.Expression, true: str, false: str) -> None:
    assert csharp(ir.Truth(value)) == true
    assert csharp(ir.Not(ir.Truth(value))) == false


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (ir.Not(compare("is", MAYBE, lit(None))), "maybe is not null"),
        (ir.Not(compare("<", N, M)), "n >= m"),
        (ir.Not(compare("<", A, A)), "!(a < a)"),
        (ir.Not(compare("==", N, M)), "n != m"),
        (ir.Not(ir.Not(P)), "p"),
        (ir.Not(ir.Logical("and", (P, Q), type=BOOL)), "!(p && q)"),
        (ir.Logical("or", (P, ir.Logical("and", (P, Q), type=BOOL)), type=BOOL), "p || p && q"),
        (ir.Logical("and", (P, ir.Logical("or", (P, Q), type=BOOL)), type=BOOL), "p && (p || q)"),
        (ir.Conditional(P, X, Y, type=TENSOR), "p ? x : y"),
        (ir.Conditional(compare("is", MAYBE, lit(None)), X, MAYBE, type=TENSOR), "maybe ?? x"),
        (ir.Conditional(compare("is-not", MAYBE, lit(None)), MAYBE, X, type=TENSOR), "maybe ?? x"),
        (ir.Conditional(compare("is", MAYBE, lit(None)), MAYBE, X, type=TENSOR), "maybe is null ? maybe : x"),
        (ir.Conditional(P, lit(1), N, type=INT), "p ? 1L : n"),
        (ir.Conditional(P, X, lit(None), type=OptionalOf(TENSOR)), "p ? x : null"),
        (
            ir.Conditional(
                P,
                ir.Convert(ir.UnsupportedValue("no", type=TENSOR), type=OptionalOf(TENSOR)),
                X,
                type=OptionalOf(TENSOR),
            ),
            'p ? throw new NotSupportedException(":0: no") : x',
        ),
        (
            ir.Conditional(P, lit(None), builtin("len", INTS), type=OptionalOf(INT)),
            "p ? null : (long?)(long)ints.Count",
        ),
    ],
)
def test_logic(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    "node",
    [ir.Logical("or", (N, lit(1)), type=INT), ir.Truth(ir.Local("packed", type=PACKED)), ir.Truth(ir.Local("v", type=OptionalOf(PACKED)))],
)  # fmt: skip
def test_values_of_logic_and_unknown_tests_are_refused(node: ir.Expression) -> None:
    with pytest.raises(Untranslatable):
        csharp(node)


def test_none_is_no_type_of_a_test() -> None:
    assert csharp(ir.Truth(ir.Local("nothing", type=NONE))) == "false"
