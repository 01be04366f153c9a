"""methods.py: whole methods, their ends, their documentation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bridge.port.csharp import helpers, tree
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.methods import lower, summary
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types as t
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, SIZES, STR, TENSOR, UNKNOWN, OptionalOf, Type

X, FLAG = ir.Local("x", type=TENSOR), ir.Local("flag", type=BOOL)
PARAMETER = ir.Parameter("x", TENSOR)


def function(*body: ir.Statement, result: Type = TENSOR) -> ir.Function:
    return ir.Function(
        "forward", (PARAMETER, ir.Parameter("flag", BOOL, ir.Literal(False, type=BOOL))), result, body, "Runs.\n\nAll."
    )


def test_a_method() -> None:
    made = lower(function(ir.Return(X)), begin(), "forward", "public override", ("From its graph",))
    assert text(made).splitlines() == [
        "/// <summary>Runs.</summary>",
        "// From its graph",
        "public override Tensor forward(Tensor x, bool flag = false)",
        "{",
        "    return x;",
        "}",
    ]


BRANCH = ir.If(FLAG, (ir.Return(X),))


@pytest.mark.parametrize(
    ("result", "body", "wanted"),
    [
        (OptionalOf(TENSOR), BRANCH, ["return null;"]),
        (TENSOR, BRANCH, ['throw new InvalidOperationException("forward ended without a value");']),
        (TENSOR, ir.If(FLAG, (ir.Return(X),), (ir.Return(X),)), []),
        (NONE, ir.Return(None), []),
        (NONE, ir.If(FLAG, (ir.Return(None),)), []),
    ],
)
def test_the_end_of_a_method(result: Type, body: ir.Statement, wanted: list[str]) -> None:
    made = lower(function(body, result=result), begin())
    assert [text(one) for one in made.body if not text(one).startswith("if ")] == wanted
    assert text(made.result) == {OptionalOf(TENSOR): "Tensor?", TENSOR: "Tensor", NONE: "void"}[result]


def test_a_tuple_whose_default_is_no_constant_is_read_by_its_value() -> None:
    pair = t.TupleOf((INT, INT))
    one = ir.Literal(1, type=INT)
    parameter = ir.Parameter("size", pair, ir.TupleLiteral((one, one), type=pair))
    whole = ir.Function("f", (parameter,), pair, (ir.Return(ir.Local("size", type=pair)),))
    emission = begin()
    made = text(lower(whole, emission)).splitlines()
    assert made[0] == "private (long, long) f((long, long)? size = null)"
    assert [line.strip() for line in made[2:-1]] == ["size ??= (1L, 1L);", "return size.Value;"]
    assert emission.boxed == set()


def test_a_function_that_is_lowered_for_its_call_leaves_the_caller_at_hand() -> None:
    emission = begin(names={"outer"}, result=TENSOR)
    lower(function(ir.Return(None), result=NONE), emission)
    assert (emission.names, emission.result, emission.loops) == ({"outer"}, TENSOR, [])


def test_a_field_that_a_parameter_hides_is_read_from_this() -> None:
    emission = begin()
    field = ir.Field("x", type=TENSOR)
    assert text(lower(function(ir.Return(field)), emission).body[0]) == "return this.x;"
    assert text(lower(ir.Function("f", (), TENSOR, (ir.Return(field),)), emission).body[0]) == "return x;"


def test_variables_that_are_never_negative_are_known() -> None:
    size = ir.LocalTarget("n", INT, True)
    n = ir.Local("n", type=INT)
    half = ir.Binary("//", n, ir.Literal(2, type=INT), type=INT)
    body = (ir.Assign(size, ir.Literal(7, type=INT)), ir.Return(half))
    assert text(lower(function(*body, result=INT), begin()).body[1]) == "return n / 2;"


@pytest.mark.parametrize(
    ("doc", "wanted"),
    [
        ("", ""),
        ("One\n  line.\n\nTwo.", "One line."),
        ("Runs :class:`~torch.nn.Linear` on ``x`` and `y`.", "Runs torch.nn.Linear on x and y."),
        ("Runs `A net <https://a.org/b>`_ of two.", "Runs A net (https://a.org/b) of two."),
        ('Runs `"A net" <https://a.org/b>`_.', 'Runs "A net" (https://a.org/b).'),
        ("Runs. :param x: the input", "Runs."),
        ("Args:\n    x: the input", ""),
        ("Runs.\ninputs:\n    x: the input", "Runs."),
        ('"\nRuns.\nParameters\n----------\nx: the input', "Runs."),
        ("x (`Tensor` of shape `(n,)`):\n    The input.", ""),
        ("Runs *x.y* and **z**, 2 * x * (x*y*z), of a [`Net`].", "Runs x.y and z, 2 * x * (x*y*z), of a Net."),
    ],
)
def test_summaries(doc: str, wanted: str) -> None:
    assert summary(doc) == wanted


ITEMS, TABLE = ir.Local("items", type=t.ListOf(INT)), ir.Local("table", type=t.DictOf(STR, INT))
N, TOTAL, SHAPE = ir.Local("n", type=INT), ir.Local("total", type=FLOAT), ir.Property(X, "shape", type=SIZES)
ONE, HALF = ir.Literal(1, type=INT), ir.Literal(0.5, type=FLOAT)


def var(name: str, kind: Type, declares: bool = True) -> ir.LocalTarget:
    return ir.LocalTarget(name, kind, declares)


def many(*items: ir.Target, star: int = -1) -> ir.TupleTarget:
    return ir.TupleTarget(items, star)


def local(name: str, kind: Type = INT) -> ir.Local:
    return ir.Local(name, type=kind)


def append(value: ir.Expression) -> ir.Evaluate:
    return ir.Evaluate(ir.ContainerCall(ITEMS, "append", (value,), type=NONE))


def _functions() -> list[ir.Function]:
    """Return functions with every statement, which compile."""
    entries = ir.ContainerCall(TABLE, "items", (), type=t.IteratorOf(t.TupleOf((STR, INT))))
    index = ir.TensorIndex(X, (ir.Literal(0, type=INT),), type=TENSOR)
    rows = ir.Local("rows", type=t.ListOf(t.TupleOf((TENSOR, INT))))
    row = ir.TupleLiteral((X, N), type=t.TupleOf((TENSOR, INT)))
    nothing, doubled = var("_", INT), ir.Binary("*", local("m"), ir.Literal(2, type=INT), type=INT)
    body: tuple[ir.Statement, ...] = (
        ir.Assign(var("n", INT), ONE, comments=("a comment",)),
        ir.Assign(var("total", FLOAT), ONE, remark="a remark"),
        ir.Assign(var("items", ITEMS.type), ir.ListLiteral((), type=t.ListOf(UNKNOWN))),
        ir.Assign(var("table", TABLE.type), ir.DictLiteral((), type=t.DictOf(UNKNOWN, UNKNOWN))),
        ir.Assign(var("rows", rows.type), ir.ListLiteral((row,), type=rows.type)),
        ir.Assign(many(var("b", INT), var("_", INT), var("c", INT)), SHAPE),
        ir.Assign(many(var("d", INT), var("rest", ITEMS.type), var("e", INT), star=1), SHAPE),
        ir.Assign(many(var("b", INT, False), var("c", INT, False)), ir.TupleLiteral((local("c"), local("b")), type=t.TupleOf((INT, INT)))),
        ir.Assign(many(var("f", INT), var("g", FLOAT)), ir.TupleLiteral((local("d"), HALF), type=t.TupleOf((INT, FLOAT)))),
        ir.Assign(ir.PlaceTarget(ir.Item(TABLE, ir.Literal("a", type=STR), type=INT)), local("e")),
        ir.Assign(ir.PlaceTarget(index), HALF),
        ir.Assign(ir.PlaceTarget(index), index),
        ir.Augment(ir.PlaceTarget(index), "+", HALF),
        ir.Augment(var("x", TENSOR, False), "+", X),
        ir.Augment(var("total", FLOAT, False), "+", N),
        ir.Augment(var("total", FLOAT, False), "*", local("g", FLOAT)),
        ir.Augment(var("n", INT, False), "//", local("f")),
        ir.Augment(var("items", ITEMS.type, False), "+", local("rest", ITEMS.type)),
        ir.Declare("last", INT), ir.Declare("found", OptionalOf(TENSOR)), ir.Declare("first", TENSOR), ir.Declare("both", row.type),
        ir.For(var("item", INT), ITEMS, (ir.If(FLAG, (ir.Break(),), (append(local("item")),)),), (append(N),)),
        ir.For(var("last", INT, False), SHAPE, (ir.Continue(),)),
        ir.For(many(var("key", STR), var("value", INT)), entries, (append(local("value")),)),
        ir.For(many(var("y", TENSOR), var("k", INT)), rows, (ir.Assign(var("first", TENSOR, False), local("y", TENSOR)),)),
        ir.For(var("both", row.type, False), rows, (ir.Continue(),)),
        ir.For(nothing, ITEMS, (ir.For(nothing, SHAPE, (append(N),)),)),
        ir.For(var("z", TENSOR), X, (ir.Assign(var("found", TENSOR, False), local("z", TENSOR)),)),
        ir.CountingLoop("i", ir.Literal(0, type=INT), N, 2, (append(local("i")),)),
        ir.While(FLAG, (ir.If(FLAG, (ir.Break(),)),), (append(ONE),)),
        ir.Assert(FLAG, ir.Literal("no", type=STR)),
        ir.NestedFunction("twice", (ir.Parameter("m", INT, ONE),), INT, (ir.Return(doubled),)),
        append(ir.ValueCall(ir.Local("twice", type=t.FunctionOf((INT,), INT)), (local("last"),), type=INT)),
        ir.Evaluate(ir.Item(ITEMS, N, type=INT)),
        ir.GradientMode("no_grad", (ir.If(FLAG, (ir.Unsupported("a yield"),), (ir.Raise("KeyError", N),)),)),
    )  # fmt: skip
    end = ir.If(FLAG, (ir.Return(X),))
    sizes = ir.Parameter("sizes", SIZES, ir.Literal((1, 2), type=SIZES))
    return [
        ir.Function("All", function().parameters, NONE, body),
        replace(function(end, result=OptionalOf(TENSOR)), name="Ends"),
        ir.Function(
            "Shaped",
            (sizes, ir.Parameter("xs", t.ListOf(TENSOR), spread=True)),
            SIZES,
            (ir.Return(local("sizes", SIZES)),),
        ),
    ]


@pytest.mark.sdk
def test_the_compiler_takes_what_is_lowered(build_csharp: Callable[..., Path]) -> None:
    """Warnings are errors, but for null, of which the compiler is not asked here."""
    emission = begin()
    methods = tuple(lower(one, emission, modifiers="public static") for one in _functions())
    made = tree.ClassDeclaration("Lowered", "public static", members=methods)
    file = tree.File(
        ("System", "System.Collections.Generic", "System.Linq", "TorchSharp", "static TorchSharp.torch"), "Net", (made,)
    )
    sources = {"Lowered.cs": text(file), "PythonMath.cs": helpers.text(emission.helpers, "Net")}
    assert build_csharp(
        {name: f"#nullable enable\n{one}" for name, one in sources.items()}, "Lowered", strict=True
    ).is_file()
