"""bodies/statements.py: branches, returns, errors, blocks and comments."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bridge.port.csharp import tree
from bridge.port.csharp.bodies.statements import ends, opposite
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, STR, TENSOR, ListOf, OptionalOf, Type, optional

FLAG, OTHER = ir.Local("flag", type=BOOL), ir.Local("other", type=BOOL)
X, N = ir.Local("x", type=TENSOR), ir.Local("n", type=INT)
ONE = ir.Literal(1, type=INT)
LIST = ir.Local("items", type=ListOf(INT))
APPEND = ir.Evaluate(ir.ContainerCall(LIST, "append", (N,), type=NONE))
RETURN = ir.Return(X)


def lines(*nodes: ir.Statement, result: Type = TENSOR) -> list[str]:
    """Return the lines of statements without their indentation."""
    made = begin(result=result).statements(nodes)
    return [line.strip() for one in made for line in text(one).splitlines()]


def test_branches_become_a_chain() -> None:
    inner = ir.If(OTHER, (APPEND,), (RETURN,))
    assert lines(ir.If(FLAG, (APPEND,), (inner,))) == [
        "if (flag)", "{", "items.Add(n);", "}",
        "else if (other)", "{", "items.Add(n);", "}",
        "else", "{", "return x;", "}",
    ]  # fmt: skip


def test_a_comment_above_elif_goes_into_its_body() -> None:
    inner = ir.If(OTHER, (APPEND,), comments=("why",), remark="and how")
    assert lines(ir.If(FLAG, (APPEND,), (inner,)))[4:] == [
        "else if (other)",
        "{",
        "// why",
        "// and how",
        "items.Add(n);",
        "}",
    ]


def test_a_branch_that_is_empty_turns_its_test_around() -> None:
    test = ir.Compare("==", N, ONE, type=BOOL)
    assert lines(ir.If(test, (), (APPEND,))) == ["if (n != 1)", "{", "items.Add(n);", "}"]


def test_a_comment_that_repeats_the_last_is_left_out() -> None:
    assert lines(ir.Note("flag is False"), ir.Note("flag is False"), APPEND) == ["// flag is False", "items.Add(n);"]


def test_a_value_is_assigned_where_it_is_null() -> None:
    number = ir.Local("k", type=OptionalOf(INT))
    test = ir.Compare("is", number, ir.Literal(None, type=NONE), type=BOOL)
    put = ir.Assign(ir.LocalTarget("k", number.type, False), ONE)
    assert lines(ir.If(test, (put,))) == ["k ??= 1;"]
    assert lines(ir.If(FLAG, (APPEND,), (ir.If(test, (put,)),)))[4] == "else if (k is null)"


A, B = tree.Name("a"), tree.Name("b")


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        (A, "!a"),
        (tree.Unary("!", A), "a"),
        (tree.Binary("is", A, tree.Literal(None)), "a is not null"),
        (tree.Binary("is", A, tree.Binary("or", tree.Literal(1), tree.Literal(2))), "a is not (1 or 2)"),
        (tree.Binary("<", A, B), "!(a < b)"),  # with NaN, neither a < b nor a >= b
        (tree.Binary("is", A, tree.DeclarationPattern(tree.Type("{ }"), "b")), "!(a is { } b)"),
    ],
)
def test_opposites(test: tree.Expression, wanted: str) -> None:
    assert text(opposite(test)) == wanted


def test_what_is_never_reached_is_left_out() -> None:
    """CS0162 warns of it."""
    assert lines(RETURN, APPEND) == ["return x;"]
    assert lines(ir.If(FLAG, (RETURN,), (ir.Raise("ValueError", None),)), APPEND)[-2:] == [
        "throw new ArgumentException();",
        "}",
    ]
    assert lines(ir.While(ir.Literal(True, type=BOOL), (APPEND,)), RETURN)[-1] == "}"


def test_a_loop_without_end_ends_where_it_breaks() -> None:
    assert not ends(ir.While(ir.Literal(True, type=BOOL), (ir.If(FLAG, (ir.Break(),)),)))
    inner = ir.While(FLAG, (ir.Break(),))
    assert ends(ir.While(ir.Literal(True, type=BOOL), (inner,)))


def test_returns() -> None:
    assert lines(ir.Return(None), result=OptionalOf(TENSOR)) == ["return null;"]
    assert lines(ir.Return(None), result=NONE) == ["return;"]
    assert lines(ir.Return(APPEND.value), result=NONE) == ["items.Add(n);", "return;"]
    empty = ir.ListLiteral((), type=ListOf(TENSOR))
    assert lines(ir.Return(empty), result=ListOf(TENSOR)) == ["return new List<Tensor>();"]


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("ValueError", "ArgumentException"),
        ("torch.RuntimeError", "InvalidOperationException"),
        ("KeyError", "KeyNotFoundException"),
    ],
)
def test_exceptions(kind: str, wanted: str) -> None:
    assert lines(ir.Raise(kind, ir.Literal("no", type=STR))) == [f'throw new {wanted}("no");']


def test_a_message_that_is_no_string_becomes_one() -> None:
    assert lines(ir.Raise("ValueError", N)) == ['throw new ArgumentException($"{n}");']


def test_a_raise_without_an_exception_is_refused() -> None:
    with pytest.raises(Untranslatable, match="without an exception"):
        lines(ir.Raise("", None))


def test_assertions_stay() -> None:
    message = ir.Literal("no", type=STR)
    assert lines(ir.Assert(FLAG, message)) == ["if (!flag)", "{", 'throw new InvalidOperationException("no");', "}"]
    assert lines(ir.Assert(ir.Compare("==", N, ONE, type=BOOL)))[0] == "if (n != 1)"
    assert lines(ir.Assert(ir.Compare(">", N, ONE, type=BOOL)))[0] == "if (n <= 1)"
    half = ir.Literal(0.5, type=FLOAT)
    assert lines(ir.Assert(ir.Compare(">", N, half, type=BOOL)))[0] == "if (!(n > 0.5))"


def test_a_branch_that_no_run_took_throws() -> None:
    node = ir.Unsupported("a yield", origin=ir.Origin("/a/nets.py", 7))
    assert lines(node) == ['throw new NotSupportedException("nets.py:7: a yield");']


def test_values_without_effect_are_no_statements() -> None:
    assert lines(ir.Evaluate(ir.Literal("doc", type=STR), comments=("gone",)), ir.Evaluate(X)) == []
    item = ir.Item(LIST, ONE, type=INT)
    assert lines(ir.Evaluate(item)) == ["_ = items[1];"]  # which may throw


def test_effects_that_depend_on_a_test() -> None:
    choice = ir.Conditional(FLAG, APPEND.value, ir.Literal(None, type=NONE), type=NONE)
    assert lines(ir.Evaluate(choice)) == ["if (flag)", "{", "items.Add(n);", "}"]
    both = ir.Logical("or", (FLAG, APPEND.value), type=NONE)
    assert lines(ir.Evaluate(both)) == ["if (!flag)", "{", "items.Add(n);", "}"]


def test_gradients_are_switched_off_for_a_block() -> None:
    assert lines(ir.GradientMode("no_grad", (APPEND,))) == ["using (torch.no_grad())", "{", "items.Add(n);", "}"]


def test_a_nested_function_returns_for_itself() -> None:
    inner = ir.NestedFunction("f", (ir.Parameter("n", INT, ONE),), INT, (ir.Return(N),))
    assert lines(inner, ir.Return(None), result=NONE) == ["long f(long n = 1)", "{", "return n;", "}", "return;"]


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (
            ir.Evaluate(APPEND.value, comments=("one", "two"), remark="three"),
            ["// one", "// two", "items.Add(n); // three"],
        ),
        (ir.Note("bias is false"), ["// bias is false"]),
    ],
)
def test_comments(node: ir.Statement, wanted: Sequence[str]) -> None:
    assert lines(node) == wanted


def test_a_buffer_is_a_field_that_is_registered() -> None:
    assert lines(ir.RegisterBuffer("mask", X)) == ["mask = x;", 'register_buffer("mask", mask);']
    assert lines(ir.ReplaceBuffer(ir.Field("mask", type=TENSOR), X)) == ["PythonMath.ReplaceBuffer(mask, x);"]
    assert lines(ir.RegisterBuffer("mask", X, False))[1] == 'register_buffer("mask", mask, persistent: false);'
    absent = ir.RegisterBuffer("mask", ir.Local("mask", type=optional(TENSOR)))
    assert lines(absent)[1:] == ["if (mask is not null)", "{", 'register_buffer("mask", mask);', "}"]
