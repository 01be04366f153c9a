"""arithmetic.py: Python's operators as those of C# where both agree, else as calls."""

from __future__ import annotations

import pytest

from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import FLOAT, INT, SIZES, STR, TENSOR, ListOf, TupleOf
from tests.port.csharp.values.given import (
    INTS,
    PAIR,
    SHAPE,
    STRINGS,
    TENSORS,
    A,
    B,
    C,
    M,
    N,
    P,
    Q,
    S,
    X,
    Y,
    binary,
    builtin,
    csharp,
    list_of,
    lit,
    tuple_of,
)  # fmt: skip


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (binary("+", X, lit(1)), "x + 1"),
        (binary("-", lit(2), X), "2 - x"),
        (binary("/", binary("*", binary("+", X, lit(1)), ir.Unary("-", X, type=TENSOR)), lit(2.0)), "(x + 1) * -x / 2.0"),
        (binary("@", X, Y), "x.matmul(y)"),
        (binary("**", X, lit(2)), "x.pow(2)"),
        (binary("//", X, N), "x.floor_divide(n)"),
        (binary("%", X, lit(2)), "x % 2"),
        (binary("**", lit(2), X), "torch.pow(2L, x)"),
        (binary("**", lit(10000.0), X), "torch.pow(10000.0f, x)"),
        (binary("**", lit(0.1), X), "torch.pow(0.1, x)"),
        (binary("//", N, X), "torch.floor_divide(n, x)"),
        (binary("%", lit(7), X), "torch.remainder(7L, x)"),
        (binary("&", X, Y), "x & y"),
        (binary("&", X, lit(1)), "x & 1L"),
        (binary("<<", X, lit(1)), "x.bitwise_left_shift(1L)"),
        (binary("*", X, P), "x * (Scalar)p"),
        (ir.Unary("~", X, type=TENSOR), "x.bitwise_not()"),
        (ir.Unary("+", X, type=TENSOR), "x"),
    ],
)  # fmt: skip
def test_of_tensors(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (binary("//", C, lit(2)), "x.shape[0] / 2"),
        (binary("%", C, lit(2)), "x.shape[0] % 2"),
        (binary("//", N, lit(2)), "PythonMath.FloorDivide(n, 2)"),
        (binary("%", ir.Unary("-", C, type=INT), lit(4)), "PythonMath.Modulo(-x.shape[0], 4)"),
        (binary("//", A, lit(2)), "PythonMath.FloorDivide(a, 2)"),
        (binary("/", N, M), "PythonMath.Divide(n, m)"),
        (binary("/", N, lit(2)), "n / 2.0"),
        (binary("/", lit(1), N), "PythonMath.Divide(1, n)"),
        (binary("/", N, builtin("max", M, lit(1))), "(double)n / Math.Max(m, 1)"),
        (binary("/", N, A), "PythonMath.Divide(n, a)"),
        (binary("/", ir.Convert(N, type=FLOAT), A), "PythonMath.Divide(n, a)"),
        (binary("**", N, lit(-0.5)), "PythonMath.Pow(n, -0.5)"),
        (binary("**", N, lit(2)), "PythonMath.Power(n, 2)"),
        (binary("-", binary("-", N, M), binary("-", N, M)), "n - m - (n - m)"),
        (binary("//", lit(7), lit(0)), "PythonMath.FloorDivide(7, 0)"),  # which C# does not compile
        (
            binary("*", list_of(binary("%", lit(-2), lit(3))), lit(2)),
            "Enumerable.Repeat(PythonMath.Modulo(-2, 3), 2).ToList()",
        ),
        (
            binary("*", list_of(binary("+", P, lit(1))), lit(2)),
            "Enumerable.Repeat((long)((p ? 1 : 0) + 1), 2).ToList()",
        ),
        (binary("*", builtin("len", INTS), builtin("len", INTS)), "(long)ints.Count * ints.Count"),
        (binary("+", N, P), "n + (p ? 1 : 0)"),
        (binary("&", P, Q), "p & q"),
        (binary(">>", N, lit(3)), "n >> 3"),
        (binary(">>", N, M), "PythonMath.ShiftRight(n, m)"),
        (binary("<<", lit(1), N), "PythonMath.ShiftLeft(1, n)"),
    ],
)
def test_of_numbers(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


def test_variables_that_are_never_negative_divide_as_in_c_sharp() -> None:
    assert csharp(binary("//", N, M), ["n", "m"]) == "n / m"
    assert csharp(binary("//", N, M), ["n"]) == "PythonMath.FloorDivide(n, m)"


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (binary("+", S, lit("!")), 's + "!"'),
        (binary("*", S, lit(3)), "string.Concat(Enumerable.Repeat(s, 3))"),
        (binary("+", INTS, INTS), "ints.Concat(ints).ToList()"),
        (binary("*", list_of(X, element=TENSOR), C, ListOf(TENSOR)), "Enumerable.Repeat(x, (int)x.shape[0]).ToList()"),
        (binary("*", list_of(lit(0)), N, ListOf(INT)), "Enumerable.Repeat(0L, (int)Math.Max(0, n)).ToList()"),
        (binary("*", tuple_of(lit(1)), C, SIZES), "Enumerable.Repeat(1L, (int)x.shape[0]).ToArray()"),
        (binary("+", ir.Slice(SHAPE, None, lit(-1), type=SIZES), tuple_of(N, lit(-1)), SIZES), "(long[])[.. x.shape[..^1], n, -1]"),
        (binary("+", PAIR, tuple_of(X), TupleOf((INT, TENSOR, TENSOR))), "(pair.Item1, pair.Item2, x)"),
    ],
)  # fmt: skip
def test_of_strings_lists_and_tuples(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    "node",
    [binary("@", N, X), binary("&", A, N, INT), binary("-", S, S, STR), binary("+", INTS, STRINGS), binary("@", N, M),
     binary("*", TENSORS, TENSORS), ir.Unary("~", B, type=FLOAT), ir.Unary("-", S, type=STR)],
)  # fmt: skip
def test_what_python_refuses_is_refused(node: ir.Expression) -> None:
    with pytest.raises(Untranslatable):
        csharp(node)
