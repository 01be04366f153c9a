"""bridge.diff: lost, added, moved, repeated, bypassed, other arguments and other values, each found and named."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.align import EXACT_CELLS, _by_occurrence, common_subsequence
from bridge.diff import KINDS, Diff, diff
from bridge.trace import Event, Trace, Value, digest

#: A busy machine is no failure.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@dataclass
class Node:
    """A call to be recorded: its children run in order; ``data`` is its result, ``given`` its argument."""

    path: str
    children: list[Node] = field(default_factory=list)
    given: object = 1.0
    data: object = 2.0
    phase: str = "call"


def tensor(content: object, *, full: bool = True, device: str = "cpu") -> Value:
    array = np.asarray(content, dtype=None if isinstance(content, np.ndarray) else np.float32)
    return Value("tensor", array.shape, str(array.dtype), device, digest(array), data=array if full else None)


def record(nodes: Sequence[Node], runtime: str = "pytorch", *, full: bool = True, device: str = "cpu") -> Trace:
    """The trace of the given calls, as a runtime would leave it: one global hook in each phase (C-9)."""
    events: list[Event] = []
    count = 0

    def add(node: Node, phase: str, call: int, parent: int, content: object) -> None:
        kind = node.path.rpartition(".")[2].rstrip("0123456789").capitalize() or "Model"
        value = tensor(content, full=full, device=device)
        events.append(Event(len(events), node.path, kind, phase, call, parent, values=(value,)))

    def run(node: Node, parent: int) -> None:
        nonlocal count
        if node.phase == "bypass":
            for child in node.children:
                run(child, parent)
            add(node, "bypass", -1, parent, node.data)
            return
        call, count = count, count + 1
        add(node, "pre", call, parent, node.given)
        for child in node.children:
            run(child, call)
        add(node, "forward", call, parent, node.data)

    for node in nodes:
        run(node, -1)
    return Trace(runtime, events)


def model(*paths: str) -> list[Node]:
    return [Node("", [Node(path) for path in paths])]


def both(a: list[Node], b: list[Node], **options: float) -> Diff:
    result = diff(record(a), record(b, "dotnet"), **options)
    check_alignment(result)
    return result


def check_alignment(result: Diff) -> None:
    assert [x for x, _ in result.pairs if x is not None] == list(result.a)
    assert [y for _, y in result.pairs if y is not None] == list(result.b)
    assert all(x is not None or y is not None for x, y in result.pairs)
    for difference in result.structural + result.numeric:
        assert difference.kind in KINDS
        assert difference.message.endswith(".")
        assert difference.clause
        assert 0 <= difference.row < len(result.pairs)


def test_equal_traces_are_the_same() -> None:
    result = both(model("conv1", "pool1"), model("conv1", "pool1"))
    assert result.same
    assert result.explain().startswith("pytorch and dotnet agree: 6 events in the same order")
    assert result.largest_difference == 0
    assert result.compared == 6
    assert result.first_numeric is None


def test_empty_traces() -> None:
    assert diff(Trace("a"), Trace("b")).same
    result = diff(Trace("a"), record(model("conv1")))
    assert [(d.kind, d.path) for d in result.structural] == [("added", "")]
    assert diff(record(model("conv1")), Trace("b")).structural[0].kind == "lost"


def test_c9_swapped_children_are_moved() -> None:
    result = both(model("conv1", "prelu1", "pool1", "conv2"), model("conv1", "pool1", "prelu1", "conv2"))
    assert [d.kind for d in result.structural] == ["moved"]
    first = result.first_structural
    assert first is not None
    assert first.path in ("prelu1", "pool1")
    assert first.clause == "C-9"
    assert "2nd inside the root, after conv1 in pytorch, but 3rd inside the root" in first.message or (
        "3rd inside the root, after prelu1 in pytorch, but 2nd inside the root, after conv1 in dotnet" in first.message
    )
    assert first.positions[0] != first.positions[1]
    assert first.other_row >= 0
    assert "First structural difference (C-9, moved)" in result.explain()


def test_c9_call_moved_into_another_call() -> None:
    a = [Node("", [Node("block", [Node("block.conv")]), Node("act")])]
    b = [Node("", [Node("block"), Node("block.conv"), Node("act")])]
    result = both(a, b)
    assert [(d.kind, d.path) for d in result.structural] == [("moved", "block.conv")]
    assert "inside block in pytorch, but 2nd inside the root, after block in dotnet" in result.structural[0].message


def test_c9_wrapper_added_around_a_call() -> None:
    result = both([Node("", [Node("conv")])], [Node("", [Node("wrap", [Node("conv")])])])
    assert {(d.kind, d.path) for d in result.structural} == {("moved", "conv"), ("added", "wrap")}


@pytest.mark.parametrize("lost", ["conv1", "pool1", "conv2"])
def test_lost_and_added(lost: str) -> None:
    paths = ["conv1", "pool1", "conv2"]
    fewer = [path for path in paths if path != lost]
    result = both(model(*paths), model(*fewer))
    assert [(d.kind, d.path, d.clause) for d in result.structural] == [("lost", lost, "C-9")]
    assert "in pytorch and not in dotnet" in result.structural[0].message
    result = both(model(*fewer), model(*paths))
    assert [(d.kind, d.path) for d in result.structural] == [("added", lost)]


def test_repeated_and_called_less_often() -> None:
    result = both(model("conv1", "act", "conv2"), model("conv1", "act", "act", "conv2"))
    assert [(d.kind, d.path) for d in result.structural] == [("repeated", "act")]
    assert "2 times inside the root in dotnet, and once in pytorch" in result.explain()
    assert both(model("act", "c", "act"), model("act", "c")).structural[0].kind == "lost"


def test_i15_shared_module_called_twice_is_aligned_call_by_call() -> None:
    a = [Node("", [Node("act", data=1.0), Node("conv"), Node("act", data=3.0)])]
    assert both(a, a).same
    b = [Node("", [Node("act", data=1.0), Node("conv"), Node("act", data=4.0)])]
    result = both(a, b)
    assert [(d.path, d.calls) for d in result.numeric] == [("act", (3, 3))]
    assert not result.structural


def test_the_missing_one_of_seven_root_calls_is_named() -> None:
    nets = [Node("pnet", [Node("pnet.conv1")], given=np.ones((1, 3, size, size))) for size in range(10, 17)]
    result = both(nets, nets[:2] + nets[3:])
    assert [(d.kind, d.path, d.calls) for d in result.structural] == [("lost", "pnet", (4, None))]
    assert not result.numeric
    assert "called 7 times in pytorch, and 6 times" in result.explain()


def test_c6_lost_forward_event() -> None:
    a = record(model("conv1", "conv2"))
    b = Trace("dotnet", [event for event in a if (event.path, event.phase) != ("conv2", "forward")])
    result = diff(a, b)
    assert [(d.kind, d.clause, d.path, d.phase) for d in result.structural] == [("lost", "C-6", "conv2", "forward")]


def test_o1_global_hook_after_module_hook_is_moved() -> None:
    def trace(*scopes: str) -> Trace:
        return Trace(
            "/".join(scopes), [Event(i, "conv1", "Conv2d", "pre", 0, -1, 0, scope) for i, scope in enumerate(scopes)]
        )

    result = diff(trace("global", "module"), trace("module", "global"))
    assert [(d.kind, d.clause) for d in result.structural] == [("moved", "O-1")]


def test_o2_hooks_of_one_module_in_other_order_are_moved() -> None:
    def trace(*hooks: int) -> Trace:
        return Trace(
            str(hooks), [Event(i, "conv1", "Conv2d", "pre", 0, -1, hook, "module") for i, hook in enumerate(hooks)]
        )

    result = diff(trace(0, 1, 2), trace(0, 2, 1))
    assert [(d.kind, d.clause) for d in result.structural] == [("moved", "O-2")]


def test_c3_bypassed_child_is_named_and_its_neighbours_are_compared() -> None:
    a = model("conv1", "conv2", "conv3")
    b = model("conv1", "conv2", "conv3")
    b[0].children[1].phase = "bypass"
    result = both(a, b)
    assert [(d.kind, d.clause, d.path) for d in result.structural] == [("lost", "C-3", "conv2")]
    assert result.bypassed == ("conv2",)
    assert not result.numeric
    assert result.compared == 7
    assert result.structural[0].message == (
        "conv2 was run by forward(), not call(), in dotnet: its hooks never fired. Write conv2.call(x)."
    )
    assert [(x and x.phase, y and y.phase) for x, y in result.pairs][3:5] == [("pre", None), ("forward", "bypass")]
    assert diff(result.b, result.a).structural[0].kind == "added"


def test_c3_bypassed_result_is_compared_with_the_forward_event() -> None:
    a, b = model("conv1", "conv2"), model("conv1", "conv2")
    b[0].children[1] = Node("conv2", data=2.5, phase="bypass")
    result = both(a, b)
    assert result.culprit is not None
    assert (result.culprit.path, result.culprit.clause) == ("conv2", "C-3")
    assert result.largest_difference == 0.5


def test_c3_children_of_a_bypassed_container_are_found() -> None:
    a = [Node("", [Node("seq", [Node("seq.0"), Node("seq.1")]), Node("fc")])]
    b = [Node("", [Node("seq", [Node("seq.0"), Node("seq.1")], phase="bypass"), Node("fc")])]
    result = both(a, b)
    assert [d.path for d in result.structural] == ["seq"]
    assert result.bypassed == ("seq",)
    inside = [replace(event, parent=99) if event.path.startswith("seq.") else event for event in result.b]
    own = Trace("own numbers", [replace(event, call=99) if event.phase == "bypass" else event for event in inside])
    assert [d.path for d in diff(result.a, own).structural] == ["seq"]


def test_c3_a_bypass_that_left_no_event_is_known_by_its_children() -> None:
    def block() -> Node:
        return Node("block", [Node("block.conv"), Node("block.inner", [Node("block.inner.act")])])

    a = [Node("", [Node("conv"), block(), block(), Node("fc")])]
    b = [Node("", [Node("conv"), *block().children, *block().children, Node("fc")])]
    result = both(a, b)
    assert [(d.kind, d.clause, d.path, d.calls[0]) for d in result.structural] == [
        ("lost", "C-3", "block", 2),
        ("lost", "C-3", "block", 6),
    ]
    assert result.bypassed == ("block",)
    assert not result.numeric
    assert "block was not called in dotnet, but its children were: it was run by forward()" in result.explain()
    check_alignment(back := diff(result.b, result.a))
    assert [(d.kind, d.clause, d.path) for d in back.structural] == [("added", "C-3", "block")] * 2


def test_c3_both_bypassed_is_the_same() -> None:
    a = [Node("", [Node("conv1", phase="bypass"), Node("conv2")])]
    assert both(a, a).same


def nudged(amount: float) -> Diff:
    def chain(from_second: float) -> list[Node]:
        conv2, act = (
            Node("conv2", given=3.0, data=4.0 + from_second),
            Node("act", given=4.0 + from_second, data=from_second),
        )
        return [Node("", [Node("conv1", given=1.0, data=3.0), conv2, act], given=1.0, data=from_second)]

    return both(chain(0.0), chain(amount))


def test_first_module_whose_output_differs_while_its_inputs_do_not() -> None:
    result = nudged(0.5)
    assert result.culprit is not None
    assert result.culprit.path == "conv2"
    assert result.first_numeric is result.culprit
    assert [(d.path, d.phase) for d in result.numeric] == [
        ("conv2", "forward"),
        ("act", "pre"),
        ("act", "forward"),
        ("", "forward"),
    ]
    assert result.largest_difference == 0.5
    assert not result.structural
    assert not result.same
    assert (
        "conv2: result differs by up to 0.5 (relative 0.111) in 1 of 1 number. Its inputs are equal" in result.explain()
    )


def test_culprit_is_the_enclosing_module_when_it_computes_between_its_calls() -> None:
    a = [Node("", [Node("conv1", data=3.0), Node("act", given=3.0)])]
    b = [Node("", [Node("conv1", data=3.0), Node("act", given=9.0, data=5.0)], data=8.0)]
    result = both(a, b)
    assert result.culprit is not None
    assert result.culprit.path == ""
    assert result.numeric[0].path == "act"


def test_other_inputs_blame_no_module() -> None:
    result = both([Node("", given=1.0, data=2.0)], [Node("", given=1.5, data=2.5)])
    assert result.culprit is None
    assert result.first_numeric is result.numeric[0]
    assert result.numeric[0].phase == "pre"


def test_tolerances() -> None:
    a, b = [Node("", data=100.0)], [Node("", data=100.5)]
    assert not both(a, b, atol=0.4).same
    assert both(a, b, atol=0.6).same
    assert both(a, b, rtol=0.005).same
    assert both(a, b, atol=0.6).largest_difference == 0.5
    for wrong in (-1.0, math.nan):
        with pytest.raises(ValueError, match="zero or more"):
            diff(Trace("a"), Trace("b"), atol=wrong)


def test_digests_alone_are_compared() -> None:
    a, b = record(model("c"), full=False), record([Node("", [Node("c", data=2.5)])], full=False)
    assert diff(a, a).same
    assert diff(a, a).compared == 4
    result = diff(a, b)
    assert result.culprit is not None
    assert result.culprit.path == "c"
    assert math.isinf(result.largest_difference)
    assert "values='full'" in result.culprit.message


def compared(x: object, y: object, **options: float) -> Diff:
    return both([Node("", data=np.asarray(x))], [Node("", data=np.asarray(y))], **options)


def test_nan_and_infinity() -> None:
    nan, inf = math.nan, math.inf
    assert compared([nan, inf, -inf], [nan, inf, -inf]).same
    payload = np.array([0x7FC00001], np.uint32).view(np.float32)
    assert compared(payload, np.array([nan], np.float32)).same
    for x, y in ((nan, 1.0), (1.0, nan), (inf, -inf), (inf, nan), (1.0, inf)):
        result = compared([x, 0.0], [y, 0.0], atol=1e9, rtol=0.5)
        assert [(d.elements, d.nonfinite, d.absolute) for d in result.numeric] == [(1, 1, inf)], (x, y)
        assert "NaN or infinite on one side only" in result.explain()


@pytest.mark.parametrize(
    ("x", "y", "gap"),
    [
        (np.array([2**63 - 1]), np.array([-(2**63)]), float(2**64 - 1)),
        (np.array([2**53 + 1]), np.array([2**53]), 1.0),
        (np.array([0], np.uint8), np.array([255], np.uint8), 255.0),
        (np.array([True, False]), np.array([True, True]), 1.0),
        (np.array([1 + 2j]), np.array([1 + 2.5j]), 0.5),
        (np.array([1.0], np.float16), np.array([1.5], np.float16), 0.5),
        (np.array([1e308]), np.array([-1e308]), math.inf),
    ],
)
def test_differences_of_every_sort_of_number(x: np.ndarray, y: np.ndarray, gap: float) -> None:
    result = compared(x, y)
    assert result.largest_difference == gap
    assert result.numeric[0].elements == 1
    assert compared(x, x.copy()).same
    assert compared(x[:0], y[:0]).same


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("shape", Value("tensor", (2,), "float32", "cpu")),
        ("dtype", Value("tensor", (1,), "float64", "cpu")),
        ("device", Value("tensor", (1,), "float32", "cuda:0")),
        ("kind", Value("none")),
    ],
)
def test_other_arguments(name: str, value: Value) -> None:
    a = Trace("a", [Event(0, "fc", "Linear", "pre", 0, -1, values=(Value("tensor", (1,), "float32", "cpu"),))])
    result = diff(a, Trace("b", [replace(a[0], values=(value,))]))
    assert [(d.kind, d.path, d.device_only) for d in result.numeric] == [("arguments", "fc", name == "device")]
    assert name in result.explain()
    assert not result.structural
    more = diff(a, Trace("b", [replace(a[0], values=a[0].values * 2)]))
    assert "1 value against 2" in more.explain()


def test_another_device_does_not_hide_the_culprit() -> None:
    a = record([Node("", [Node("conv1", data=1.0)])])
    result = diff(a, record([Node("", [Node("conv1", data=7.0)])], device="cuda:0"))
    assert result.numeric[0].device_only
    assert result.culprit is not None
    assert result.culprit.path == "conv1"


def test_literals() -> None:
    def trace(literal: object, kind: str = "float") -> Trace:
        return Trace("t", [Event(0, "", "M", "pre", 0, -1, values=(Value(kind, literal=literal),))])  # type: ignore[arg-type]

    assert diff(trace(math.nan), trace(math.nan)).same
    assert diff(trace(1.0), trace(1.1), atol=0.2).same
    assert diff(trace("a", "str"), trace("b", "str")).numeric[0].kind == "arguments"
    assert diff(trace(1, "int"), trace(True, "bool")).numeric[0].kind == "arguments"
    assert not diff(trace(math.inf), trace(-math.inf), atol=1.0, rtol=1.0).same


@pytest.mark.parametrize(("x", "y"), [(10**400, 1), (10**400, 10**400 + 1), (10**400, 1.5), (-(10**400), math.inf)])
def test_integers_that_no_float_holds(x: float, y: float) -> None:
    def trace(literal: float) -> Trace:
        kind = "int" if isinstance(literal, int) else "float"
        return Trace("t", [Event(0, "", "M", "pre", 0, -1, values=(Value(kind, literal=literal),))])

    for a, b in ((x, y), (y, x)):
        result = diff(trace(a), trace(b), atol=1e9, rtol=0.5)
        assert [d.kind for d in result.numeric] == ["arguments"]
        assert diff(trace(a), trace(a)).same
    if isinstance(y, int):
        assert diff(trace(x), trace(y)).largest_difference == math.inf


def test_other_type_name_is_a_note_and_no_difference() -> None:
    a = record(model("conv1"))
    result = diff(a, Trace("dotnet", [replace(event, type="Pnet") if not event.path else event for event in a]))
    assert result.same
    assert result.notes == ("the root is a Model in pytorch and a Pnet in dotnet.",)


def test_deep_call_trees_need_no_recursion() -> None:
    depth = 5_000
    pre = [Event(i, ".".join("x" * (i and 1)), "M", "pre", i, i - 1) for i in range(depth)]
    post = [Event(2 * depth - 1 - i, pre[i].path, "M", "forward", i, i - 1) for i in reversed(range(depth))]
    a = Trace("a", [*pre, *post])
    result = diff(a, Trace("b", [*pre[:-1], *post[1:]]))
    assert [(d.kind, d.calls) for d in result.structural] == [("lost", (depth - 1, None))]


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
    """Every (parent, index of child) below a node."""
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
        # Of one module's several calls each may stand for another, so a swap can also be told as one lost and one more.
        if len(set(paths)) == len(paths):
            assert {d.kind for d in result.structural} == {"moved"}
            assert not result.numeric
    else:
        assert [(d.kind, d.path) for d in found] == [(kind, child.path)]
    if mutation == "bypass":
        assert result.bypassed == (child.path,)


def test_diff_imports_neither_torch_nor_dotnet() -> None:
    code = "import sys, bridge.diff; sys.exit(bool({'torch', 'clr', 'pythonnet'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
