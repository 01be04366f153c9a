"""bodies/loops.py: loops with Python's meaning."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir import types as t
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import BOOL, INT, NONE, SIZES, STR, TENSOR

X, N, FLAG = ir.Local("x", type=TENSOR), ir.Local("n", type=INT), ir.Local("flag", type=BOOL)
ZERO, ONE = ir.Literal(0, type=INT), ir.Literal(1, type=INT)
LIST = ir.Local("items", type=t.ListOf(INT))
TABLE = ir.Local("table", type=t.DictOf(STR, INT))
ITEM = ir.LocalTarget("item", INT, True)


def use(*names: str) -> ir.Evaluate:
    """Return a call that reads these variables."""
    return ir.Evaluate(
        ir.ValueCall(ir.Local("f", type=t.UNKNOWN), tuple(ir.Local(one, type=INT) for one in names), type=NONE)
    )


def lines(*nodes: ir.Statement) -> list[str]:
    """Return the lines of statements without indentation and braces."""
    made = begin(names={"item"}).statements(nodes)
    return [line.strip() for one in made for line in text(one).splitlines() if line.strip() not in "{}"]


@pytest.mark.parametrize(
    ("start", "step", "wanted"),
    [
        (ZERO, 1, "for (long i = 0; i < n; i++)"),
        (ir.Local("k", type=INT), 2, "for (var i = k; i < n; i += 2)"),
        (ONE, -1, "for (long i = 1; i > n; i--)"),
        (ONE, -2, "for (long i = 1; i > n; i -= 2)"),
    ],
)
def test_counting(start: ir.Expression, step: int, wanted: str) -> None:
    assert lines(ir.CountingLoop("i", start, N, step, (use("i"),))) == [wanted, "f(i);"]


@pytest.mark.parametrize(
    ("kind", "source", "wanted"),
    [
        (INT, LIST, "foreach (var item in items)"),
        (INT, ir.Property(X, "shape", type=SIZES), "foreach (var item in x.shape)"),
        (TENSOR, X, "foreach (var item in x.unbind())"),
        (STR, TABLE, "foreach (var item in table.Keys)"),
        (STR, ir.Local("s", type=STR), "foreach (var item in s.EnumerateRunes().Select(letter => letter.ToString()))"),
        (INT, ir.TupleLiteral((ONE, N), type=t.TupleOf((INT, INT))), "foreach (var item in new long[] { 1, n })"),
        (TENSOR, ir.ListLiteral((X, X), type=t.ListOf(TENSOR)), "foreach (var item in new[] { x, x })"),
        (INT, ir.Local("pair", type=t.TupleOf((INT, INT))), "foreach (var item in new[] { pair.Item1, pair.Item2 })"),
        (t.ModuleOf(nn.Linear), ir.Field("layers", type=t.ModulesOf(nn.ModuleList, t.ModuleOf(nn.Linear))),
         "foreach (var item in layers)"),
        (t.PLAIN_MODULE, ir.Field("layers", type=t.ModulesOf(nn.Sequential, t.PLAIN_MODULE)),
         "foreach (var item in layers.children().Cast<Module<Tensor, Tensor>>())"),
    ],
)  # fmt: skip
def test_elements(kind: t.Type, source: ir.Expression, wanted: str) -> None:
    assert lines(ir.For(ir.LocalTarget("item", kind, True), source, (use("item"),)))[0] == wanted


def pairs(first: str, second: str, *kinds: t.Type, declares: bool = True) -> ir.TupleTarget:
    return ir.TupleTarget(
        tuple(ir.LocalTarget(one, kind, declares) for one, kind in zip((first, second), kinds, strict=True))
    )


ENTRIES = ir.ContainerCall(TABLE, "items", (), type=t.IteratorOf(t.TupleOf((STR, INT))))
ROWS = ir.Local("rows", type=t.ListOf(t.TupleOf((STR, INT))))


def test_elements_are_taken_apart() -> None:
    target = pairs("key", "value", STR, INT)
    assert lines(ir.For(target, ENTRIES, (use("key", "value"),)))[0] == "foreach (var (key, value) in table)"
    assert lines(ir.For(target, ROWS, (use("value"),)))[0] == "foreach (var (_, value) in rows)"


def test_an_entry_in_one_variable_is_a_tuple() -> None:
    target = ir.LocalTarget("entry", t.TupleOf((STR, INT)), True)
    assert lines(ir.For(target, ENTRIES, (use("entry"),))) == [
        "foreach (var (key, value) in table)",
        "var each = (key, value);",
        "var entry = each;",
        "f(entry);",
    ]


def test_a_variable_that_lives_on_is_assigned_in_the_body() -> None:
    target = ir.LocalTarget("item", INT)
    assert lines(ir.For(target, LIST, (use("item"),))) == ["foreach (var each in items)", "item = each;", "f(item);"]
    target = pairs("key", "value", STR, INT, declares=False)
    assert lines(ir.For(target, ROWS, (use("key"),))) == [
        "foreach (var pair in rows)",
        "(key, value) = pair;",
        "f(key);",
    ]


def test_a_variable_that_the_body_assigns_is_no_variable_of_foreach() -> None:
    """CS1656."""
    again = ir.Assign(ir.LocalTarget("item", INT), N)
    assert lines(ir.For(ITEM, LIST, (again,))) == ["foreach (var each in items)", "var item = each;", "item = n;"]


def test_a_number_of_enumerate_is_left_out_where_nothing_reads_or_assigns_it() -> None:
    numbered = ir.BuiltinCall("enumerate", (LIST,), type=t.IteratorOf(t.TupleOf((INT, INT))))
    target = pairs("place", "item", INT, INT)
    assert lines(ir.For(target, numbered, (use("item"),)))[0] == "foreach (var item in items)"
    again = ir.Assign(ir.LocalTarget("place", INT), N)
    made = lines(ir.For(target, numbered, (again, use("item"))))
    assert made[1:3] == ["var (place, item) = pair;", "place = n;"]


def test_nested_loops_without_variables_have_several_names() -> None:
    nothing = ir.LocalTarget("_", INT, True)
    assert lines(ir.For(nothing, LIST, (ir.For(nothing, LIST, (use("n"),)),))) == [
        "foreach (var _ in items)",
        "foreach (var __ in items)",
        "f(n);",
    ]


def test_a_list_that_grows_is_walked_to_its_new_end() -> None:
    append = ir.Evaluate(ir.ContainerCall(LIST, "append", (ir.Local("item", type=INT),), type=NONE))
    assert lines(ir.For(ITEM, LIST, (append,))) == [
        "for (var place = 0; place < items.Count; place++)",
        "var item = items[place];",
        "items.Add(item);",
    ]


def test_a_list_that_is_replaced_is_walked_to_its_end() -> None:
    append = ir.Evaluate(ir.ContainerCall(LIST, "append", (N,), type=NONE))
    new = ir.Assign(ir.LocalTarget("items", LIST.type), ir.ListLiteral((), type=LIST.type))
    made = begin(names={"items", "item"}).statements([ir.For(ITEM, LIST, (append, new))])
    assert [text(one).splitlines()[0] for one in made] == [
        "var items2 = items;",
        "for (var place = 0; place < items2.Count; place++)",
    ]


@pytest.mark.parametrize("name", ["enumerate", "reversed", "zip"])
def test_a_list_that_changes_below_a_builtin_is_refused(name: str) -> None:
    """Python reads the list element by element; C# throws, or reads a copy."""
    append = ir.Evaluate(ir.ContainerCall(LIST, "append", (N,), type=NONE))
    source = ir.BuiltinCall(name, (LIST, LIST), type=t.IteratorOf(t.TupleOf((INT, INT))))
    with pytest.raises(Untranslatable, match="of a list that its body changes"):
        lines(ir.For(pairs("place", "item", INT, INT), source, (append, use("place"))))


def test_an_else_without_break_follows_the_loop() -> None:
    loop = ir.While(FLAG, (use("a"),), (use("b"),))
    assert lines(loop) == ["while (flag)", "f(a);", "f(b);"]


def test_an_else_is_left_out_after_a_break() -> None:
    inner = ir.While(FLAG, (ir.Break(),))
    loop = ir.For(ITEM, LIST, (ir.If(FLAG, (ir.Break(),)), inner), (use("b"),))
    assert lines(loop) == [
        "var completed = true;",
        "foreach (var item in items)",
        "if (flag)",
        "completed = false;",
        "break;",
        "while (flag)",
        "break;",
        "if (completed)",
        "f(b);",
    ]


def test_a_break_in_an_else_is_that_of_the_loop_around() -> None:
    inner = ir.While(FLAG, (ir.Continue(),), (ir.Break(),))
    loop = ir.While(FLAG, (inner,), (use("b"),))
    assert lines(loop)[:2] == ["var completed = true;", "while (flag)"]
    assert lines(loop)[-4:] == ["completed = false;", "break;", "if (completed)", "f(b);"]


def test_a_loop_over_what_has_no_elements_is_refused() -> None:
    with pytest.raises(Untranslatable, match="a loop over a int"):
        lines(ir.For(ITEM, N, ()))
