"""pruning.py: branches that settings close."""

from __future__ import annotations

from bridge.port.ir.nodes import Assert, Evaluate, If, Raise, Training, Truth, While
from bridge.port.ir.types import BOOL, TENSOR
from bridge.port.passes.pruning import prune
from tests.port.ir.building import back, compare, function, lines, lit, op, put, relu, var

X = var("x", TENSOR)


def test_a_branch_on_a_setting_goes_with_a_note() -> None:
    tested = Truth(lit(False, "use_bias"))
    assert lines(prune(function(If(tested, (put("y", lit(1)),), (put("y", lit(2)),)), back(var("y"))))) == [
        "# use_bias is False",
        "y = 2",
        "return y",
    ]


def test_a_branch_on_a_value_a_mode_or_an_argument_stays() -> None:
    body = (
        If(Training(type=BOOL), (put("y", lit(1)),)),
        If(Truth(X), (put("y", lit(2)),)),
        If(compare("is", var("n"), lit(3)), (put("y", lit(3)),)),
        back(X),
    )
    assert prune(function(*body)) == function(*body)


def test_nothing_stays_behind_a_return() -> None:
    taken = If(lit(True, "pool"), (back(X),))
    assert lines(prune(function(taken, Evaluate(relu(X)), back(X)))) == ["# pool is True", "return x"]
    both = If(Truth(var("b")), (back(X),), (Raise("ValueError", None),))
    assert lines(prune(function(both, back(X)))) == ["if bool(b)", "  return x", "else", "  Raise"]


def test_a_loop_that_never_runs_has_its_else() -> None:
    loop = While(lit(False), (put("y", lit(1)),), (put("y", lit(2)),))
    assert lines(prune(function(loop, back(X)))) == ["y = 2", "return x"]


def test_an_assertion_of_false_is_a_raise() -> None:
    body = (If(Truth(var("b")), (back(X),), (Assert(lit(False), None), put("y", lit(1)))),)
    assert lines(prune(function(*body))) == ["if bool(b)", "  return x", "else", "  Raise"]
    setting = Assert(lit(False, "fast"), None)
    assert prune(function(setting)) == function(setting)


def test_arithmetic_with_settings_decides_tests_and_is_kept_elsewhere() -> None:
    whole = op("%", lit(8, "Settings.width"), lit(2, "Settings.heads"))
    body = (
        Assert(compare("==", whole, lit(0)), None),
        If(compare("!=", whole, lit(0)), (Raise("ValueError", None),)),
        put("y", whole),
    )
    assert lines(prune(function(*body))) == [
        "# Settings.width is 8, Settings.heads is 2",
        "y = (8 % 2)",
    ]
    named = Assert(compare("==", op("%", lit(8, "width"), lit(2)), lit(0)), None)
    assert prune(function(named)) == function(named)
