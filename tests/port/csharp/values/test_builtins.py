"""builtins.py: Python's functions, and those of math."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    SIZES,
    STR,
    TENSOR,
    FunctionOf,
    IteratorOf,
    ListOf,
    ModuleOf,
    SetOf,
    TupleOf,
)
from tests.port.csharp.values.given import (
    INTS,
    PAIR,
    SHAPE,
    STRINGS,
    TABLE,
    TENSORS,
    UNIQUE,
    A,
    B,
    C,
    M,
    N,
    P,
    S,
    X,
    Y,
    builtin,
    compare,
    csharp,
    list_of,
    lit,
    tuple_of,
)  # fmt: skip

_MODULE = ir.Local("module", type=ModuleOf(nn.Module))
_V = ir.Local("v", type=TENSOR)
_KEY = ir.Lambda(
    ("v",), ir.Item(ir.Property(_V, "shape", type=SIZES), lit(0), type=INT), type=FunctionOf((TENSOR,), INT)
)
_SOME = ir.Comprehension(
    compare("is", _V, X), (ir.Generator(ir.LocalTarget("v", TENSOR), TENSORS),), type=IteratorOf(BOOL)
)
_TWO = IteratorOf(TupleOf((TENSOR, STR)))


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (builtin("len", TENSORS), "tensors.Count"),
        (builtin("len", SHAPE), "x.shape.Length"),
        (builtin("len", X), "x.shape[0]"),
        (builtin("len", PAIR), "2"),
        (builtin("int", A), "(long)a"),
        (builtin("int", X), "x.ToInt64()"),
        (builtin("int", N), "n"),
        (builtin("int", S), "PythonMath.ToInt64(s)"),
        (builtin("float", X, kind=FLOAT), "x.ToDouble()"),
        (builtin("float", N, kind=FLOAT), "(double)n"),
        (builtin("float", lit(2), kind=FLOAT), "2.0"),
        (builtin("float", lit("-inf"), kind=FLOAT), "double.NegativeInfinity"),
        (builtin("bool", X, kind=BOOL), "x.ToBoolean()"),
        (builtin("round", A), "(long)Math.Round(a)"),
        (builtin("round", A, lit(2), kind=FLOAT), "PythonMath.Round(a, 2)"),
        (builtin("round", N, lit(-1)), "PythonMath.Round(n, -1L)"),
        (builtin("abs", X, kind=TENSOR), "x.abs()"),
        (builtin("max", N, M, lit(1)), "Math.Max(n, Math.Max(m, 1))"),
        (builtin("min", INTS, default=lit(0)), "ints.DefaultIfEmpty(0L).Min()"),
        (builtin("max", TENSORS, kind=TENSOR, key=_KEY), "tensors.MaxBy(v => v.shape[0])"),
        (builtin("divmod", N, M, kind=TupleOf((INT, INT))), "(PythonMath.FloorDivide(n, m), PythonMath.Modulo(n, m))"),
        (builtin("math.sqrt", N, kind=FLOAT), "PythonMath.Checked(Math.Sqrt, n)"),
        (builtin("math.log", X, kind=FLOAT), "PythonMath.Checked(Math.Log, x.ToDouble())"),
        (builtin("math.sqrt", C, kind=FLOAT), "Math.Sqrt(x.shape[0])"),
        (builtin("math.log", lit(10000.0), kind=FLOAT), "Math.Log(10000.0)"),
        (builtin("float", S, kind=FLOAT), "PythonMath.ToDouble(s)"),
        (builtin("max", A, lit(0.5), kind=FLOAT), "PythonMath.Max(a, 0.5)"),
        (builtin("math.ceil", A), "(long)Math.Ceiling(a)"),
        (builtin("math.floor", N), "n"),
        (builtin("math.comb", N, lit(2)), "PythonMath.Combinations(n, 2)"),
        (builtin("math.prod", SHAPE), "x.shape.Aggregate(1L, (product, one) => product * one)"),
        (builtin("math.fmod", A, B, kind=FLOAT), "a % b"),
    ],
)
def test_numbers(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (builtin("sum", INTS), "ints.Sum()"),
        (builtin("sum", tuple_of(N, M)), "new long[] { n, m }.Sum()"),
        (builtin("sum", TENSORS, kind=TENSOR), "tensors.Aggregate((sum, one) => sum + one)"),
        (builtin("sum", TENSORS, X, kind=TENSOR), "tensors.Aggregate(x, (sum, one) => sum + one)"),
        (builtin("any", _SOME, kind=BOOL), "tensors.Any(v => ReferenceEquals(v, x))"),
        (builtin("all", INTS, kind=BOOL), "ints.All(one => one != 0)"),
        (builtin("range", N, kind=IteratorOf(INT)), "PythonMath.Range(0, n)"),
        (builtin("zip", TENSORS, STRINGS, kind=_TWO), "tensors.Zip(strings)"),
        (builtin("zip", TENSORS, STRINGS, kind=_TWO, strict=lit(True)), "PythonMath.ZipStrict(tensors, strings)"),
        (
            builtin("zip", TENSORS, INTS, INTS, INTS, kind=_TWO),
            "tensors.Zip(ints, ints).Zip(ints, (all, one) => (all.First, all.Second, all.Third, one))",
        ),
        (builtin("enumerate", TENSORS, kind=_TWO), "tensors.Select((one, number) => ((long)number, one))"),
        (builtin("enumerate", TENSORS, lit(1), kind=_TWO), "tensors.Select((one, number) => (number + 1L, one))"),
        (builtin("reversed", TENSORS, kind=IteratorOf(TENSOR)), "Enumerable.Reverse(tensors)"),
        (builtin("sorted", INTS, kind=INTS.type), "ints.Order().ToList()"),
        (
            builtin("sorted", TENSORS, kind=TENSORS.type, key=_KEY, reverse=lit(True)),
            "tensors.OrderByDescending(v => v.shape[0]).ToList()",
        ),
        (builtin("sorted", UNIQUE, kind=INTS.type), "unique.Order().ToList()"),
        (builtin("list", kind=TENSORS.type), "new List<Tensor>()"),
        (builtin("list", TABLE, kind=STRINGS.type), "table.Keys.ToList()"),
        (builtin("list", tuple_of(X, Y), kind=TENSORS.type), "new List<Tensor> { x, y }"),
        (builtin("tuple", INTS, kind=SIZES), "ints.ToArray()"),
        (builtin("tuple", list_of(N, lit(1)), kind=SIZES), "new long[] { n, 1 }"),
        (builtin("tuple", TENSORS, kind=TupleOf((TENSOR, TENSOR))), "(tensors[0], tensors[1])"),
        (builtin("set", INTS, kind=SetOf(INT)), "ints.ToHashSet()"),
        (builtin("dict", kind=TABLE.type, a=X), 'new Dictionary<string, Tensor> { ["a"] = x }'),
        (builtin("dict", TABLE, kind=TABLE.type), "new Dictionary<string, Tensor>(table)"),
        (
            builtin("dict", builtin("zip", STRINGS, TENSORS, kind=_TWO), kind=TABLE.type),
            "PythonMath.ToDictionary(strings.Zip(tensors))",
        ),
        (builtin("isinstance", _MODULE, ir.Literal(nn.Linear, type=NONE), kind=BOOL), "module is Linear"),
        (builtin("next", _SOME, kind=BOOL), "tensors.Select(v => ReferenceEquals(v, x)).First()"),
    ],
)
def test_what_is_walked_over(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (builtin("print", S, kind=NONE), "Console.WriteLine(s)"),
        (builtin("print", kind=NONE), "Console.WriteLine()"),
        (builtin("print", lit("n"), N, A, kind=NONE), 'Console.WriteLine($"n {n} {PythonMath.Str(a)}")'),
        (builtin("print", N, kind=NONE, end=lit("")), 'Console.Write(PythonMath.Str(n))'),
        (builtin("print", N, M, kind=NONE, sep=lit(","), end=lit(";")), 'Console.Write($"{n},{m};")'),
        (builtin("warnings.warn", lit("old"), kind=NONE), 'Console.Error.WriteLine("old")'),
        (builtin("str", A, kind=STR), "PythonMath.Str(a)"),
    ],
)  # fmt: skip
def test_text(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    "node",
    [
        builtin("eval", S),
        builtin("max", X, kind=TENSOR),
        builtin("max", X, Y, kind=TENSOR),
        builtin("sum", STRINGS, kind=STR),
        builtin("zip", TENSORS, kind=_TWO),
        builtin("len", N),
        builtin("list", UNIQUE, kind=INTS.type),
        builtin("sorted", TENSORS, kind=TENSORS.type),
        builtin("print", S, kind=NONE, file=S),
        builtin("math.gcd", N, A),
        builtin("tuple", TENSORS, kind=ListOf(INT)),
        builtin("next", ir.Local("iterator", type=IteratorOf(INT))),
        builtin("int", S, C),
        builtin("abs", S),
        builtin("int", P, P),
    ],
)
def test_refused(node: ir.Expression) -> None:
    with pytest.raises(Untranslatable):
        csharp(node)
