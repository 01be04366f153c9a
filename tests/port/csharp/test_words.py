"""words.py: precedence, brackets, quoting, and where a long expression breaks."""

from __future__ import annotations

import math

import pytest

from bridge.port.csharp import tree as t
from bridge.port.csharp.printer import text

A, B, C = map(t.Name, "abc")
ONE = t.Literal(1)
LIST = t.Type("List", (t.Type("long"),))


def call(function: t.Expression, *arguments: t.Expression) -> t.Call:
    return t.Call(function, tuple(map(t.Argument, arguments)))


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (t.Literal(None), "null"),
        (t.Default(), "default"),
        (t.Literal(True), "true"),
        (t.Literal(2**31 - 1), "2147483647"),
        (t.Literal(2**31), "2147483648L"),  # without it an uint
        (t.Literal(1, "L"), "1L"),
        (t.Literal(1.0), "1.0"),
        (t.Literal(1e-05), "1e-05"),
        (t.Literal(0.5, "f"), "0.5f"),
        (t.Literal(-math.inf), "double.NegativeInfinity"),
        (t.Literal(math.nan, "f"), "float.NaN"),
        (t.Literal('a"\\\n{\u2028}é'), '"a\\"\\\\\\n{\\u2028}é"'),
        (t.Name("this"), "this"),
        (t.Name("params"), "@params"),
        (t.Member(t.Name("double"), "Epsilon"), "double.Epsilon"),
        (t.Member(t.Name("torch"), "bool"), "torch.@bool"),
        (t.Member(A, "b", True), "a?.b"),
    ],
)
def test_values_and_names(node: t.Expression, wanted: str) -> None:
    assert text(node) == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (t.Binary("*", t.Binary("+", A, B), C), "(a + b) * c"),
        (t.Binary("+", t.Binary("*", A, B), C), "a * b + c"),
        (t.Binary("-", A, t.Binary("-", B, C)), "a - (b - c)"),
        (t.Binary("-", t.Binary("-", A, B), C), "a - b - c"),
        (t.Binary("??", A, t.Binary("??", B, C)), "a ?? b ?? c"),
        (t.Binary("??", t.Binary("??", A, B), C), "(a ?? b) ?? c"),
        (t.Binary("&&", t.Binary("||", A, B), C), "(a || b) && c"),
        (t.Binary("==", t.Binary("&", A, B), ONE), "(a & b) == 1"),
        (t.Unary("!", t.Binary("is", A, t.Name("B"))), "!(a is B)"),
        (t.Unary("-", t.Unary("-", A)), "-(-a)"),
        (t.Unary("-", t.Literal(-1)), "-(-1)"),
        (t.Binary("-", A, t.Literal(-1)), "a - -1"),
        (t.Member(t.Literal(-1.0), "x"), "(-1.0).x"),
        (t.Member(t.Unary("-", A), "x"), "(-a).x"),
        (t.Member(t.Unary("!", A, True), "x"), "a!.x"),
        (t.Cast(t.Type("long"), t.Literal(-1)), "(long)-1"),
        (t.Cast(t.Type("Scalar"), t.Literal(-1)), "(Scalar)(-1)"),  # else a subtraction
        (t.Cast(t.Type("int"), t.Binary("+", A, B)), "(int)(a + b)"),
        (t.Member(t.Cast(t.Type("B"), A), "x"), "((B)a).x"),
        (t.Conditional(t.Conditional(A, B, C), t.Conditional(A, B, C), t.Conditional(A, B, C)),
         "(a ? b : c) ? (a ? b : c) : a ? b : c"),
        (t.Binary("+", A, t.Conditional(A, B, C)), "a + (a ? b : c)"),
        (t.Conditional(A, t.Thrown(B), t.Thrown(C)), "a ? throw b : throw c"),
        (t.Binary("??", A, t.Lambda(("x",), B)), "a ?? (x => b)"),
        (t.Lambda((), t.Assigned(A, B, "+=")), "() => a += b"),
        (t.Binary("==", t.Assigned(A, B), ONE), "(a = b) == 1"),
        (t.Binary("is", A, t.Binary("or", t.Literal(1), t.Literal(2))), "a is 1 or 2"),
        (t.Binary("is not", A, t.Binary("or", t.Literal(1), t.Literal(2))), "a is not (1 or 2)"),
        (t.Binary("is", A, t.DeclarationPattern(t.Type("{ }"), "b")), "a is { } b"),
        (t.Index(A, (t.Argument(t.FromEnd(t.Binary("+", B, ONE))),)), "a[^(b + 1)]"),
        (t.Index(A, (t.Argument(t.Range(ONE, t.FromEnd(ONE))), t.Argument(t.Range(None, B)))), "a[1..^1, ..b]"),
    ],
)  # fmt: skip
def test_precedence(node: t.Expression, wanted: str) -> None:
    assert text(node) == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (t.Call(A, (t.Argument(B), t.Argument(C, "in"), t.Argument(t.DeclaredName(t.VAR, "d"), direction="out"))),
         "a(b, @in: c, out var d)"),
        (t.Call(t.Lambda(("x",), B)), "(x => b)()"),
        (t.Call(A, (t.Argument(t.Binary("<", A, B)), t.Argument(t.Binary(">", A, B)))), "a((a < b), a > b)"),
        (t.Call(t.Member(A, "OfType"), (), (LIST,)), "a.OfType<List<long>>()"),
        (t.New(LIST), "new List<long>()"),
        (t.New(LIST, (), ()), "new List<long>()"),
        (t.New(LIST, (), (A, B)), "new List<long> { a, b }"),
        (t.New(LIST, (), ((A, B), (B, C))), "new List<long> { [a] = b, [b] = c }"),
        (t.New(LIST, (t.Argument(A),)), "new List<long>(a)"),
        (t.New(None, (t.Argument(A),)), "new(a)"),
        (t.New(None, (), (A,)), "new[] { a }"),
        (t.New(t.ArrayType("", (t.Type("long"),)), (), (A,)), "new long[] { a }"),
        (t.New(t.ArrayType("", (t.Type("long"),)), (), ()), "new long[] { }"),
        (t.New(t.ArrayType("", (t.ArrayType("", (t.Type("long"),)),)), (t.Argument(A),)), "new long[a][]"),
        (t.Index(t.New(t.ArrayType("", (LIST,)), (t.Argument(A),)), (t.Argument(B),)), "(new List<long>[a])[b]"),
        (t.Tuple((A, t.Tuple((B, C)))), "(a, (b, c))"),
        (t.Collection((A, t.Spread(B))), "[a, .. b]"),
        (t.Collection(()), "[]"),
        (t.Lambda(("a", "in"), C), "(a, @in) => c"),
        (t.Lambda(("a",), (t.Return(B),)), "a =>\n{\n    return b;\n}"),
        (t.Interpolated(("{a}\n", (A, ""), (B, "F3"), (t.Conditional(A, B, C), ""))),
         '$"{{a}}\\n{a}{b:F3}{(a ? b : c)}"'),
        (t.DeclaredTuple(("a", ("in", "_"), t.DeclaredTuple(("b", "c")))), "var (a, (@in, _), (b, c))"),
        (t.Tuple((t.DeclaredName(LIST, "a"), t.DeclaredName(t.VAR, "_"), B)), "(List<long> a, _, b)"),
    ],
)  # fmt: skip
def test_calls_and_containers(node: t.Expression, wanted: str) -> None:
    assert text(node) == wanted


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (
            t.Type("Dictionary", (t.Type("string"), t.Type("Tensor", nullable=True)), True),
            "Dictionary<string, Tensor?>?",
        ),
        (t.ArrayType("", (t.Type("Tensor", nullable=True),), True), "Tensor?[]?"),
        (t.TupleType("", (t.Type("long"), LIST)), "(long, List<long>)"),
        (t.TupleType("", (t.Type("long"), LIST), True, ("in", "")), "(long @in, List<long>)?"),
    ],
)
def test_types(node: t.Type, wanted: str) -> None:
    assert text(node) == wanted


def test_arguments_longer_than_ninety_columns_stand_in_lines_of_their_own() -> None:
    words = [t.Name(letter * 28) for letter in "abcd"]
    assert text(call(A, *words[:3])) == f"a({'a' * 28}, {'b' * 28}, {'c' * 28})"
    assert text(call(A, *words)) == f"a(\n    {'a' * 28},\n    {'b' * 28},\n    {'c' * 28},\n    {'d' * 28})"
    inner = call(B, *words)
    assert text(call(A, ONE, inner)).splitlines()[1:4] == ["    1,", "    b(", "        " + "a" * 28 + ","]


def test_items_longer_than_ninety_columns_have_brackets_in_lines_of_their_own() -> None:
    words = tuple(t.Name(letter * 49) for letter in "ab")
    assert text(t.Collection(words)) == f"[\n    {'a' * 49},\n    {'b' * 49}\n]"
    assert text(t.New(LIST, (), words)) == f"new List<long>\n{{\n    {'a' * 49},\n    {'b' * 49}\n}}"


def test_a_long_expression_breaks_at_the_outermost_place() -> None:
    long = [t.Name(letter * 60) for letter in "abc"]
    assert text(t.Binary("+", t.Binary("+", long[0], long[1]), long[2])).splitlines() == [
        "a" * 60,
        f"    + {'b' * 60}",
        f"    + {'c' * 60}",
    ]
    assert text(t.Conditional(*long)).splitlines() == ["a" * 60, f"    ? {'b' * 60}", f"    : {'c' * 60}"]
    chain = call(t.Member(call(t.Member(call(t.Member(A, "Where"), long[0]), "Select"), long[1]), "ToList"))
    assert text(chain).splitlines() == [f"a.Where({'a' * 60})", f"    .Select({'b' * 60})", "    .ToList()"]
