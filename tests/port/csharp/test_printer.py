"""printer.py: statements and declarations, indentation, comments, documentation; and that the compiler takes every node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from bridge.port.csharp import tree as t
from bridge.port.csharp.printer import text

A, B, X = t.Name("a"), t.Name("b"), t.Name("x")
LONG, TENSOR = t.Type("long"), t.Type("Tensor")
STEP = t.Evaluate(t.Unary("++", X, True))


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (t.Comment("one\n\ntwo"), ["// one", "//", "// two"]),
        (t.Remarked(STEP, "why"), ["x++; // why"]),
        (t.Remarked(t.While(A, (STEP,)), "why"), ["// why", "while (a)", "{", "    x++;", "}"]),
        (t.Declare(LONG, "x"), ["long x;"]),
        (t.Declare(LONG, "in", t.Literal(1), "const"), ["const long @in = 1;"]),
        (t.Evaluate(t.Assigned(A, B)), ["a = b;"]),
        (t.Assign(t.DeclaredTuple(("a", "b")), X), ["var (a, b) = x;"]),
        (t.Assign(A, B, "+="), ["a += b;"]),
        (t.Block((STEP,)), ["{", "    x++;", "}"]),
        (t.If(A, ()), ["if (a)", "{", "}"]),
        (t.If(A, (STEP,), (STEP,)), ["if (a)", "{", "    x++;", "}", "else", "{", "    x++;", "}"]),
        (t.If(A, (STEP,), (t.If(B, (STEP,)),)), ["if (a)", "{", "    x++;", "}", "else if (b)", "{", "    x++;", "}"]),
        (t.For(t.Declare(LONG, "i", t.Literal(0)), A, B, (STEP,)), ["for (long i = 0; a; b)", "{", "    x++;", "}"]),
        (t.For(None, None, None, (t.Keyword("break"),)), ["for (;;)", "{", "    break;", "}"]),
        (t.ForEach("in", X, (t.Keyword("continue"),)), ["foreach (var @in in x)", "{", "    continue;", "}"]),
        (t.ForEach(t.DeclaredTuple(("a", "_")), X, ()), ["foreach (var (a, _) in x)", "{", "}"]),
        (t.Using(A, (t.Using(B, (STEP,)),)), ["using (a)", "using (b)", "{", "    x++;", "}"]),
        (t.Using(A, None, "scope"), ["using var scope = a;"]),
        (t.Return(), ["return;"]),
        (t.Return(A), ["return a;"]),
        (t.Throw(A), ["throw a;"]),
        (t.LocalFunction("f", LONG, (t.Parameter(LONG, "a"),), (t.Return(A),)),
         ["long f(long a)", "{", "    return a;", "}"]),
    ],
)  # fmt: skip
def test_statements(node: t.Statement, wanted: list[str]) -> None:
    assert text(node).splitlines() == wanted


def test_a_local_function_stands_apart() -> None:
    inner = t.LocalFunction("f", LONG, (), (t.Return(A),))
    lines = text(t.Block((STEP, inner, STEP))).splitlines()
    assert lines == ["{", "    x++;", "", "    long f()", "    {", "        return a;", "    }", "", "    x++;", "}"]


def test_a_long_condition_breaks_at_its_operators() -> None:
    test = t.Binary("&&", t.Name("a" * 80), t.Name("b" * 80))
    assert text(t.If(test, (STEP,))).splitlines()[:3] == [f"if ({'a' * 80}", f"    && {'b' * 80})", "{"]


def test_the_columns_count_from_the_margin() -> None:
    """A line of 138 columns fits, but not once it is indented."""
    line = t.Return(t.Binary("+", t.Name("a" * 64), t.Name("b" * 63)))
    assert len(text(line)) == 138
    assert len(text(t.Block((line,))).splitlines()) == 4


def test_a_method_has_its_documentation_and_comments() -> None:
    method = t.MethodDeclaration(
        "f",
        "private",
        "Returns a < b & c.",
        ("one", "two"),
        LONG,
        (t.Parameter(LONG, "a", t.Literal(1)),),
        (t.Return(A),),
    )
    assert text(method).splitlines() == [
        "/// <summary>Returns a &lt; b &amp; c.</summary>",
        "// one",
        "// two",
        "private long f(long a = 1)",
        "{",
        "    return a;",
        "}",
    ]


def test_a_long_summary_stands_in_lines_of_its_own() -> None:
    lines = text(t.PropertyDeclaration("x", "public", "word " * 40, type=LONG)).splitlines()
    assert lines[0] == "/// <summary>"
    assert lines[-2:] == ["/// </summary>", "public long x { get; }"]
    assert all(line.startswith("/// word") and len(line) <= 140 for line in lines[1:-2])


def test_members_of_one_kind_stand_together() -> None:
    members = (
        t.FieldDeclaration("A", "private const", type=LONG, value=t.Literal(1)),
        t.FieldDeclaration("b", "private", type=LONG),
        t.FieldDeclaration("c", "private", type=LONG),
        t.ConstructorDeclaration("Net", "public", arguments=(t.Literal("Net"),)),
        t.MethodDeclaration("f", result=t.Type("void")),
        t.MethodDeclaration("g", result=t.Type("void")),
    )
    made = t.File(("System",), "Net", (t.ClassDeclaration("Net", "public sealed", bases=(LONG,), members=members),))
    assert text(made).splitlines() == [
        "using System;", "", "namespace Net;", "", "public sealed class Net : long", "{",
        "    private const long A = 1;", "",
        "    private long b;", "    private long c;", "",
        "    public Net()", '        : base("Net")', "    {", "    }", "",
        "    void f()", "    {", "    }", "",
        "    void g()", "    {", "    }", "}",
    ]  # fmt: skip


def call(function: t.Expression, *arguments: t.Expression) -> t.Call:
    return t.Call(function, tuple(map(t.Argument, arguments)))


def _every_node() -> t.File:
    """Return a file with every node of the tree, which compiles."""
    array, numbers = t.ArrayType("", (LONG,)), t.Type("List", (LONG,))
    a, n, items = t.Name("a"), t.Name("n"), t.Name("items")
    zero, one = t.Literal(0), t.Literal(1)
    parsed = t.Argument(t.DeclaredName(LONG, "parsed"), "result", "out")
    statements: tuple[t.Statement, ...] = (
        t.Comment("every statement"),
        t.Remarked(t.Declare(LONG, "n", t.Conditional(t.Binary(">", t.Literal(2.5), one), one, t.Default())), "a remark"),
        t.Declare(t.VAR, "items", t.New(numbers, (), (one, n))),
        t.Declare(array, "in", t.Collection((one, t.Spread(items)))),
        t.Declare(t.VAR, "part", t.Index(t.Name("in"), (t.Argument(t.Range(one, t.FromEnd(one))),))),
        t.Declare(t.VAR, "table", t.New(t.Type("Dictionary", (t.Type("string"), LONG)), (), ((t.Literal("a\n"), n),))),
        t.Assign(t.DeclaredTuple(("p", ("q", "_"))), t.Tuple((n, t.Tuple((one, zero))))),
        t.Assign(t.Tuple((t.DeclaredName(t.VAR, "r"), n)), t.Tuple((t.Name("p"), t.Name("q")))),
        t.Declare(t.Type("Func", (LONG, LONG, LONG)), "f", t.Lambda(("x", "y"), t.Binary("+", t.Name("x"), t.Name("y")))),
        t.Declare(t.Type("Action", (LONG,)), "g", t.Lambda(("x",), (t.Assign(n, t.Name("x"), "+="),))),
        t.Evaluate(call(t.Name("g"), call(t.Name("f"), t.Name("r"), t.Cast(LONG, t.Literal(-1))))),
        t.Evaluate(t.Assigned(n, t.Unary("-", t.Unary("-", n)))),
        t.Declare(t.Type("object", nullable=True), "o", t.Interpolated(("{", (n, "F2"), "}"))),
        t.If(
            t.Binary("is", t.Name("o"), t.DeclarationPattern(t.Type("string"), "s")),
            (t.Evaluate(call(t.Member(t.Name("Console"), "WriteLine"), t.Member(t.Name("s"), "Length", True))),),
            (t.Throw(t.New(t.Type("InvalidOperationException"), (t.Argument(t.Literal('"')),))),),
        ),
        t.LocalFunction("twice", LONG, (t.Parameter(LONG, "x", one),), (t.Return(t.Binary("*", t.Name("x"), t.Literal(2, "L"))),)),
        t.For(t.Declare(LONG, "i", zero), t.Binary("<", t.Name("i"), n), t.Unary("++", t.Name("i"), True), (t.Keyword("continue"),)),
        t.ForEach("item", items, (t.Assign(n, call(t.Name("twice"), t.Name("item"))),)),
        t.While(t.Literal(True), (t.Keyword("break"),)),
        t.Block((t.Using(t.New(t.Type("System.IO.MemoryStream")), None, "memory"), t.Using(t.New(t.Type("System.IO.MemoryStream")), ()))),
        t.Evaluate(t.Call(t.Member(t.Name("long"), "TryParse"), (t.Argument(t.Literal("1")), parsed))),
        t.Assign(n, t.Conditional(t.Binary(">", n, one), n, t.Thrown(t.New(t.Type("NotSupportedException"))))),
        t.Return(t.Tuple((t.Binary("??", a, t.Unary("!", t.Literal(None), True)), t.Binary("+", n, t.Name("parsed"))))),
    )  # fmt: skip
    result = t.TupleType("", (t.Type("string"), LONG), names=("text", ""))
    method = t.MethodDeclaration(
        "Run", "public", "Runs.", (), result, (t.Parameter(t.Type("string", nullable=True), "a"),), statements
    )
    members = (
        t.FieldDeclaration("field", "private readonly", type=LONG, value=one),
        t.PropertyDeclaration("Property", "public", "A property.", type=LONG, setter="private"),
        t.ConstructorDeclaration(
            "Made", "public", parameters=(t.Parameter(array, "values", spread=True),), arguments=(t.Literal("made"),),
            body=(t.Assign(t.Name("Property"), t.Binary("+", t.Name("field"), t.Member(t.Name("values"), "Length"))),),
        ),
        method,
    )  # fmt: skip
    return t.File(
        ("System", "System.Collections.Generic"),
        "Made",
        (t.ClassDeclaration("Made", "public sealed", bases=(t.Type("Exception"),), members=members),),
    )


def _kinds(node: Any) -> set[type]:
    if isinstance(node, tuple):
        return set().union(*map(_kinds, node))
    if not is_dataclass(node):
        return set()
    return {type(node)}.union(*(_kinds(getattr(node, one.name)) for one in fields(node)))


def test_the_file_has_every_node() -> None:
    bases = {t.Node, t.Expression, t.Statement, t.Declaration}
    every = {one for one in vars(t).values() if isinstance(one, type) and issubclass(one, t.Node)} - bases
    assert _kinds(_every_node()) == every


@pytest.mark.sdk
def test_the_compiler_takes_every_node(build_csharp: Callable[[Mapping[str, str], str], Path]) -> None:
    assert build_csharp({"Made.cs": text(_every_node())}, "EveryNode").is_file()
