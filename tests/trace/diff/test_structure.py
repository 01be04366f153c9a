"""bridge.trace.diff: lost, added, moved, repeated and bypassed calls, each found and named."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from bridge.trace import Event, Trace
from bridge.trace.diff import diff

from .conftest import Node, both, check_alignment, model, record


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
    assert "called 7 times in pytorch (with 1 call inside), and 6 times" in result.explain()


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
    assert result.structural[0].sentence == (
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
    assert (
        "block was not called in dotnet, but its children were, as when its forward() is run directly"
        in result.explain()
    )
    check_alignment(back := diff(result.b, result.a))
    assert [(d.kind, d.clause, d.path) for d in back.structural] == [("added", "C-3", "block")] * 2


def test_c3_a_root_that_left_no_event_is_known_by_its_children() -> None:
    inside = model("conv", "act", "fc")[0].children
    result = both([*model("conv", "act", "fc")] * 2, [*inside, *inside])
    assert [(d.kind, d.clause, d.path) for d in result.structural] == [("lost", "C-3", "")] * 2
    assert result.bypassed == ("",)
    assert not result.numeric
    assert result.structural[0].sentence == (
        "the root was not called in dotnet, but its children were, as when its forward() is run directly: its hooks never"
        " fired. Write model.call(x)."
    )
    check_alignment(diff(result.b, result.a))


@pytest.mark.parametrize(("runtime", "write"), [("torchsharp", "model.call(x)"), ("pytorch", "model(x)")])
def test_c3_where_nothing_was_called_that_is_said_first(runtime: str, write: str) -> None:
    silent = f"In {{}} no module was called and no hook fired (C-3), for example because forward() was run directly. Write {write}."
    called = diff(record(model("conv"), "python"), Trace(runtime))
    assert called.explain().splitlines()[0] == silent.format(runtime)
    neither = diff(Trace(runtime), Trace(runtime))
    assert neither.explain().splitlines()[:2] == [silent.format(f"{runtime} ({side})") for side in ("left", "right")]
    assert neither.same


def test_c3_both_bypassed_is_the_same() -> None:
    a = [Node("", [Node("conv1", phase="bypass"), Node("conv2")])]
    assert both(a, a).same


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


def test_diff_imports_neither_torch_nor_dotnet() -> None:
    code = "import sys, bridge.trace.diff; sys.exit(bool({'torch', 'clr', 'pythonnet'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_call_that_moved_out_of_a_block_without_events_has_a_place() -> None:
    """``conv`` is inside a direct call of ``forward()`` that left no event, in the second trace alone."""
    rows = [("", "pre", 0, -1), ("conv.0", "pre", 1, 0), ("conv", "forward", 1, 0), ("", "bypass", 0, -1)]
    events = [Event(seq, path, "Model", phase, call, parent) for seq, (path, phase, call, parent) in enumerate(rows)]
    result = diff(record(model("conv")), Trace("dotnet", events))
    moved = next(found for found in result.structural if found.kind == "moved")
    assert moved.message == (
        "conv is called 1st inside the root in pytorch, but 1st inside the root, before the root in dotnet."
    )
    assert diff(Trace("dotnet", events), record(model("conv"))).structural
