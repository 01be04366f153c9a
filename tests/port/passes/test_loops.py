"""loops.py: counting loops, and what keeps Python's meaning."""

from __future__ import annotations

from bridge.port.ir.nodes import Augment, BuiltinCall, ContainerCall, Evaluate, Expression, For, LocalTarget, Statement
from bridge.port.ir.types import INT, NONE, TENSOR, IteratorOf, ListOf
from bridge.port.passes.loops import count_ranges
from tests.port.ir.building import back, function, lines, lit, op, put, var

ITEMS = var("items", ListOf(INT))


def counted(*bounds: Expression, body: tuple[Statement, ...], after: tuple[Statement, ...] = ()) -> list[str]:
    source = BuiltinCall("range", bounds, type=IteratorOf(INT))
    return lines(count_ranges(function(For(LocalTarget("i", INT), source, body), *after)))


def test_a_range_is_counted() -> None:
    body = (put("y", var("i")),)
    assert counted(var("n"), body=body) == ["count i from 0 to n by 1", "  y = i"]
    assert counted(lit(9), lit(0), lit(-2), body=body) == ["count i from 9 to 0 by -2", "  y = i"]


def test_a_step_that_is_no_literal_stays_a_loop_over_a_range() -> None:
    assert counted(lit(0), lit(9), var("n"), body=(put("y", var("i")),))[0] == "for i in range(0, 9, n)"


def test_a_bound_that_the_body_changes_is_read_once() -> None:
    assert counted(var("n"), body=(Augment(LocalTarget("n", INT), "-", lit(1)),)) == [
        "stop#1 = n",
        "count i from 0 to stop#1 by 1",
        "  n -= 1",
    ]
    growing = Evaluate(ContainerCall(ITEMS, "append", (lit(1),), type=NONE))
    assert counted(BuiltinCall("len", (ITEMS,), type=INT), body=(growing,))[:2] == [
        "stop#1 = len(items)",
        "count i from 0 to stop#1 by 1",
    ]


def test_a_variable_that_the_body_changes_or_that_is_read_later_is_another_than_the_counter() -> None:
    expected = ["count place#1 from 0 to n by 1", "  i = place#1"]
    assert counted(var("n"), body=(put("i", op("*", var("i"), lit(2))),))[:2] == expected
    assert counted(var("n"), body=(put("y", var("i")),), after=(back(var("i")),))[:2] == expected


def test_a_loop_within_a_loop_sees_what_the_outer_body_reads_next_time() -> None:
    inner = For(LocalTarget("i", INT), BuiltinCall("range", (lit(3),), type=IteratorOf(INT)), (put("y", var("i")),))
    whole = For(
        LocalTarget("k", INT), BuiltinCall("range", (lit(2),), type=IteratorOf(INT)), (put("z", var("i")), inner)
    )
    found = lines(count_ranges(function(whole, parameters={"i": INT, "x": TENSOR})))
    assert found[2:4] == ["  count place#1 from 0 to 3 by 1", "    i = place#1"]


def test_a_loop_that_runs_again_assigns_its_variable_before_it_reads() -> None:
    inner = For(LocalTarget("i", INT), BuiltinCall("range", (lit(3),), type=IteratorOf(INT)), (put("y", var("i")),))
    whole = For(LocalTarget("k", INT), BuiltinCall("range", (lit(2),), type=IteratorOf(INT)), (inner,))
    assert lines(count_ranges(function(whole)))[1:] == ["  count i from 0 to 3 by 1", "    y = i"]
    assert counted(var("i"), body=(put("y", lit(1)),))[0] == "count place#1 from 0 to i by 1"
