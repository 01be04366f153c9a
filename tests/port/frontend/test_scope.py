"""scope.py: versions of variables, joins of branches, proofs."""

from __future__ import annotations

import pytest

from bridge.port.frontend.scope import Scope, State, Variables, coerced
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Compare, Convert, Literal, Local, Logical, Not, Origin, Truth
from bridge.port.ir.types import BOOL, FLOAT, INT, NONE, TENSOR, UNKNOWN, ListOf, OptionalOf, TupleOf

HERE = Origin("nets.py", 3)
NOTHING = Literal(None, type=NONE)


@pytest.fixture
def scope() -> Scope:
    return Scope(Variables(["x", "y"]))


def met(scope: Scope, *types: object) -> None:
    """Assign x in so many branches."""
    before, ends = scope.state(), []
    for one in types:
        scope.restore(before)
        scope.assign("x", one, HERE)  # type: ignore[arg-type]
        ends.append(scope.state())
    scope.join(ends)


def test_a_value_of_another_type_is_another_version(scope: Scope) -> None:
    assert [scope.assign("x", one).name for one in (TENSOR, TupleOf((TENSOR, TENSOR)), TENSOR)] == ["x", "x#2", "x"]


@pytest.mark.parametrize(
    ("types", "declared"),
    [((INT, FLOAT), FLOAT), ((NONE, TENSOR), OptionalOf(TENSOR)), ((ListOf(UNKNOWN), ListOf(INT)), ListOf(INT))],
)
def test_versions_that_meet_are_one_in_the_next_round(
    scope: Scope, types: tuple[object, ...], declared: object
) -> None:
    met(scope, *types)
    assert scope.variables.changed
    scope.variables.begin()
    again = Scope(scope.variables)
    met(again, *types)
    assert not scope.variables.changed
    assert again.type_of("x") == declared
    assert again.assign("x", types[0]).type == declared  # type: ignore[arg-type]
    assert again.assign("x", types[1]).name == "x"  # type: ignore[arg-type]


def test_what_was_assigned_is_known_where_it_is_declared_as_more(scope: Scope) -> None:
    met(scope, NONE, TENSOR)
    scope.assign("x", TENSOR)
    read = scope.read("x", HERE)
    assert isinstance(read, Convert)
    assert (read.type, read.value.type, read.proven) == (TENSOR, OptionalOf(TENSOR), True)


def test_a_variable_of_no_one_type_is_refused_where_it_is_read(scope: Scope) -> None:
    met(scope, TENSOR, TupleOf((TENSOR,)))
    with pytest.raises(Untranslatable, match="x is of one type or another"):
        scope.read("x", HERE)
    scope.assign("x", INT)
    assert scope.read("x", HERE) is not None


def test_what_ends_is_not_met(scope: Scope) -> None:
    scope.assign("x", TENSOR)
    before = scope.state()
    scope.assign("x", INT)
    scope.end()
    scope.join([before, scope.state()])
    assert scope.type_of("x") == TENSOR
    scope.join([State(dead=True)])
    assert scope.dead


@pytest.mark.parametrize(
    ("test", "truth", "there"),
    [
        (lambda x: Compare("is-not", x, NOTHING, type=BOOL), True, True),
        (lambda x: Compare("is", x, NOTHING, type=BOOL), True, False),
        (lambda x: Not(Compare("is", x, NOTHING, type=BOOL)), True, True),
        (lambda x: Truth(x), True, True),
        (lambda x: Truth(x), False, None),
        (lambda x: Logical("and", (Truth(x), Literal(True, type=BOOL)), type=BOOL), True, True),
        (lambda x: Logical("and", (Truth(x), Literal(True, type=BOOL)), type=BOOL), False, None),
        (
            lambda x: Logical("or", (Compare("is", x, NOTHING, type=BOOL), Literal(True, type=BOOL)), type=BOOL),
            False,
            True,
        ),
    ],
)
def test_proofs(scope: Scope, test: object, truth: bool, there: bool | None) -> None:
    scope.assign("x", OptionalOf(TENSOR))
    scope.assume(test(Local("x", type=OptionalOf(TENSOR))), truth)  # type: ignore[operator]
    assert scope.type_of("x") == {True: TENSOR, False: NONE, None: OptionalOf(TENSOR)}[there]


def test_a_proof_ends_with_the_next_value(scope: Scope) -> None:
    scope.assign("x", OptionalOf(TENSOR))
    scope.assume(Compare("is-not", Local("x", type=OptionalOf(TENSOR)), NOTHING, type=BOOL), True)
    scope.assign("x", OptionalOf(TENSOR))
    assert scope.type_of("x") == OptionalOf(TENSOR)


def test_variables_of_a_comprehension_are_its_own(scope: Scope) -> None:
    scope.assign("x", TENSOR)
    with scope.inner(["x", "i"]):
        assert scope.read("x", HERE) is None
        assert scope.assign("x", INT).name == "x#2"
        assert scope.assign("i", INT).name == "i"
    assert scope.type_of("x") == TENSOR
    assert scope.read("i", HERE) is None


def test_what_a_function_within_sees_has_one_version(scope: Scope) -> None:
    scope.assign("x", INT)
    scope.capture(["x"])
    scope.assign("x", FLOAT)
    assert scope.variables.changed
    with pytest.raises(Untranslatable, match="which a function within uses"):
        scope.assign("x", TENSOR)


def test_conversions() -> None:
    assert coerced(Literal(1, type=INT), FLOAT) == Convert(Literal(1, type=INT), type=FLOAT)
    assert coerced(Literal(1, type=INT), INT) == Literal(1, type=INT)
