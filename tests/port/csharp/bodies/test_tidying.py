"""bodies/tidying.py: shorter forms of C#."""

from __future__ import annotations

import pytest

from bridge.port.csharp import tree
from bridge.port.csharp.bodies.tidying import assigned_if_null, unqualified, without_null_marks
from bridge.port.csharp.printer import text

X, Y, NULL = tree.Name("x"), tree.Name("y"), tree.Literal(None)
BIAS = tree.Member(X, "bias")


def marked(value: tree.Expression) -> tree.Expression:
    return tree.Unary("!", value, postfix=True)


def use(value: tree.Expression) -> tree.Statement:
    return tree.Evaluate(tree.Call(tree.Name("use"), (tree.Argument(value),)))


def there(value: tree.Expression) -> tree.Expression:
    return tree.Binary("is not", value, NULL)


def test_a_value_that_was_found_has_no_mark() -> None:
    test = tree.Binary("&&", there(BIAS), there(Y))
    made = without_null_marks(tree.If(test, (use(marked(BIAS)), use(marked(Y)), use(marked(X)))))
    assert [text(one) for one in made.body] == ["use(x.bias);", "use(y);", "use(x!);"]


@pytest.mark.parametrize(
    "other",
    [
        tree.Assign(X, Y),
        tree.Assign(BIAS, NULL),
        tree.Assign(tree.Tuple((X, Y)), Y),
        use(tree.Assigned(X, Y)),
        use(tree.Lambda((), marked(BIAS))),
        tree.Evaluate(tree.Call(Y, (tree.Argument(X, direction="ref"),))),
    ],
)
def test_a_value_that_may_have_changed_keeps_its_mark(other: tree.Statement) -> None:
    node = tree.If(there(BIAS), (use(marked(BIAS)), other))
    assert without_null_marks(node) == node


def test_a_test_that_may_be_true_without_the_value_tells_nothing() -> None:
    node = tree.If(tree.Binary("||", there(BIAS), there(Y)), (use(marked(Y)),), (use(marked(Y)),))
    assert without_null_marks(node) == node
    node = tree.If(there(Y), (), (use(marked(Y)),))
    assert without_null_marks(node) == node


def test_an_assignment_where_a_value_is_null() -> None:
    test = tree.Binary("is", X, NULL)
    assert text(assigned_if_null(tree.If(test, (tree.Assign(X, Y),)))) == "x ??= y;"
    for node in (
        tree.If(test, (tree.Assign(Y, X),)),
        tree.If(test, (tree.Assign(X, Y),), (use(X),)),
        tree.If(there(X), (tree.Assign(X, Y),)),
        tree.If(test, (tree.Assign(X, Y, "+="),)),
        tree.If(test, (tree.Assign(X, Y), use(X))),
    ):
        assert assigned_if_null(node) == node


def test_functions_call_each_other_without_their_class() -> None:
    def method(name: str, *body: tree.Statement, of: str = "y") -> tree.MethodDeclaration:
        parameters = (tree.Parameter(tree.Type("Tensor"), of),)
        return tree.MethodDeclaration(
            name, "internal static", result=tree.Type("void"), parameters=parameters, body=body
        )

    called = tree.Evaluate(tree.Call(tree.Member(tree.Name("Functions"), "f"), (tree.Argument(Y),)))
    hidden = tree.Declare(tree.VAR, "f", tree.Literal(1))
    each = tree.ForEach(tree.DeclaredTuple(("a", ("f", "_"))), Y, (called,))
    whole = tree.ClassDeclaration(
        "Functions",
        "internal static",
        members=(
            method("f"),
            method("g", called),
            method("h", called, of="f"),
            method("i", hidden, called),
            method("j", each),
        ),
    )
    lines = text(unqualified(whole)).splitlines()
    assert [line.strip() for line in lines if "f(y)" in line] == [
        "f(y);",
        "Functions.f(y);",
        "Functions.f(y);",
        "Functions.f(y);",
    ]
