"""bridge.trace.diff.align and bridge.trace.diff on random traces."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.trace.diff import diff
from bridge.trace.diff.align import EXACT_CELLS, _by_occurrence, common_subsequence

from .conftest import Node, both

#: A busy machine is not a failure.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@patient
@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_common_subsequence_is_a_longest_one(a: list[str], b: list[str]) -> None:
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1, j + 1] = table[i, j] + 1 if x == y else max(table[i, j + 1], table[i + 1, j])
    for found in (common_subsequence(a, b), _by_occurrence(a, b)):
        assert all(a[i] == b[j] for i, j in found)
        assert all(p[0] < q[0] and p[1] < q[1] for p, q in pairwise(found))
    assert len(common_subsequence(a, b)) == table[-1, -1]


def test_alignment_cost_is_bounded() -> None:
    side = math.isqrt(EXACT_CELLS) + 1
    assert len(common_subsequence(list("ab" * (side // 2 + 1)), list("ba" * (side // 2 + 1)))) >= side // 2


def trees(prefix: str = "", depth: int = 3) -> st.SearchStrategy[Node]:
    def build(prefix: str, depth: int) -> st.SearchStrategy[list[Node]]:
        if not depth:
            return st.just([])
        names = st.lists(st.sampled_from(["conv", "act", "pool", "fc"]), max_size=4)
        return names.flatmap(
            lambda found: st.tuples(
                *(build(f"{prefix}{name}.", depth - 1).map(lambda c, p=f"{prefix}{name}": Node(p, c)) for name in found)
            ).map(list)
        )

    return build(prefix, depth).map(lambda children: Node("", children))


def descendants(node: Node) -> list[tuple[Node, int]]:
    """Return every (parent, index of child) below a node."""
    return [(node, i) for i in range(len(node.children))] + [p for c in node.children for p in descendants(c)]


def copy(node: Node) -> Node:
    return replace(node, children=[copy(child) for child in node.children])


@patient
@given(trees())
def test_a_trace_has_no_difference_to_itself(tree: Node) -> None:
    assert both([tree], [copy(tree)]).same


@patient
@given(trees(), trees(), st.sets(st.integers(0, 20)))
def test_any_two_traces_can_be_laid_side_by_side(a: Node, b: Node, bypassed: set[int]) -> None:
    for tree in (a, b):
        for number, (parent, index) in enumerate(descendants(tree)):
            if number in bypassed:
                parent.children[index].phase = "bypass"
    result = both([a], [b])
    assert result.same == (a == b)
    assert bool(result.structural) == (a != b)
    assert diff(result.b, result.a).same == result.same


@patient
@given(trees().filter(lambda tree: bool(tree.children)), st.data())
def test_every_single_mutation_is_found_and_named(tree: Node, data: st.DataObject) -> None:
    mutant = copy(tree)
    parent, index = data.draw(st.sampled_from(descendants(mutant)))
    child = parent.children[index]
    mutation = data.draw(st.sampled_from(["lose", "add", "repeat", "bypass", "value", "argument", "shape", "swap"]))
    others = [k for k, other in enumerate(parent.children) if other.path != child.path]
    if mutation == "swap" and not others:
        mutation = "lose"
    expected = {"lose": "lost", "add": "added", "repeat": "repeated", "bypass": "lost", "swap": "moved"}
    expected |= {"value": "values", "argument": "values", "shape": "arguments"}
    if mutation == "lose":
        del parent.children[index]
    elif mutation == "add":
        child = Node(f"{parent.path}.new".lstrip("."))
        parent.children.insert(index, child)
    elif mutation == "repeat":
        parent.children.insert(index, copy(child))
    elif mutation == "bypass":
        child.phase = "bypass"
    elif mutation == "value":
        child.data = 2.001
    elif mutation == "argument":
        child.given = 2.001
    elif mutation == "shape":
        child.data = np.zeros((2, 2), np.float32)
    else:
        other = data.draw(st.sampled_from(others))
        parent.children[index], parent.children[other] = parent.children[other], parent.children[index]
    result = both([tree], [mutant])
    found = result.structural + result.numeric
    kind = expected[mutation]
    assert found
    assert result.explain()
    assert kind in {d.kind for d in found}
    if mutation == "swap":
        paths = [sibling.path for sibling in parent.children]
        # Several calls of one module are interchangeable, so a swap can also be reported as one lost and one more.
        if len(set(paths)) == len(paths):
            assert {d.kind for d in result.structural} == {"moved"}
            assert not result.numeric
    else:
        assert [(d.kind, d.path) for d in found] == [(kind, child.path)]
    if mutation == "bypass":
        assert result.bypassed == (child.path,)
