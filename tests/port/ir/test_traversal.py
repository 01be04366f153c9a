"""traversal.py: walks and rebuilt nodes."""

from __future__ import annotations

from bridge.port.ir import nodes
from bridge.port.ir.traversal import children, rebuilt, walk
from tests.port.ir.building import lit, op, put, shown, var


def test_children_are_those_of_tuples_too() -> None:
    loop = nodes.While(nodes.Truth(var("a")), (put("a", lit(1)),), (put("b", lit(2)),))
    assert [shown(one) for one in children(loop)] == ["bool(a)", "a = 1", "b = 2"]
    assert sum(isinstance(one, nodes.Literal) for one in walk(loop)) == 2


def test_a_node_in_which_nothing_changes_is_the_same() -> None:
    whole = op("+", var("a"), lit(1))
    assert rebuilt(whole, lambda one: one) is whole
    changed = rebuilt(whole, lambda one: lit(2) if isinstance(one, nodes.Literal) else one)
    assert shown(changed) == "(a + 2)"
    assert changed.type == whole.type
