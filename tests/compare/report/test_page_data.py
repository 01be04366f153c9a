"""bridge.compare.report.page_data: two outlines as columns, each string once, and JSON that is safe inside a script element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.compare.report.layout import layout
from bridge.compare.report.module_tree import modules, row_gaps
from bridge.compare.report.page_data import UNFOLDED, Strings, trace_columns, tree_columns
from bridge.trace import Event, Trace
from bridge.trace.diff import diff

Make = Callable[..., Trace]


def columns(a: Trace, b: Trace, **how: Any) -> tuple[dict[str, Any], dict[int, int], list[str]]:
    strings, found = Strings(), diff(a, b)
    made, nodes = trace_columns(layout(found), row_gaps(found), strings, **{"listed": 99} | how)
    return made, nodes, strings.all


def tree(a: Trace, b: Trace) -> tuple[dict[str, Any], list[str]]:
    strings, found = Strings(), diff(a, b)
    gaps = row_gaps(found)
    _, nodes = trace_columns(layout(found), gaps, strings, listed=99)
    return tree_columns(modules(found, gaps), nodes, strings), strings.all


def test_sizes_and_depths_are_those_of_a_tree(make: Make) -> None:
    made, nodes, strings = columns(make("pytorch"), make("dotnet"))
    folds = [node for node, size in enumerate(made["size"]) if size]
    assert [made["size"][node] for node in folds] == [15] * 8
    assert folds == list(range(0, 120, 15))
    assert {made["depth"][node] for node in folds} == {0}
    assert {made["depth"][node] for node in nodes.values()} == {1}
    assert list(nodes) == list(range(112))
    assert strings[made["a"][0]] == "pnet Pnet"
    assert strings[made["b"][0]] == "1x3x8 · 14 events"
    assert len({len(made[name]) for name in ("depth", "size", "a", "b", "mark")}) == 1


def test_the_first_call_of_each_root_and_what_differs_is_open(make: Make) -> None:
    assert columns(make("pytorch"), make("dotnet"))[0]["open"] == [0, 105]
    assert len(columns(make("pytorch"), make("dotnet", wrong="conv1"))[0]["open"]) == 8


def test_equal_strings_and_cells_stand_once(make: Make) -> None:
    made, _, strings = columns(make("pytorch", [("net", 1)] * 50), make("dotnet", [("net", 1)] * 50))
    assert len(made["cells"]) == 14
    assert len(strings) == len(set(strings)) < 30


def test_marks_notes_and_gaps_by_node(make: Make) -> None:
    found = diff(make("pytorch"), make("dotnet", wrong="conv2"))
    made, nodes, _ = columns(found.a, found.b)
    for difference in found.numeric:
        assert made["mark"][nodes[difference.row]] == 4
    assert set(made["notes"]) <= set(nodes.values())
    assert len(made["notes"]) > 2
    assert list(columns(found.a, found.b, listed=2)[0]["notes"].values()) == [[1], [2]]
    assert made["gap"][nodes[found.numeric[0].row]] == "0.5"
    assert made["gap"][nodes[0]] == "0"


def test_rows_beyond_the_limit_are_left_out(make: Make) -> None:
    complete, _, _ = columns(make("pytorch"), make("dotnet"))
    for limit in (0, 1, 2, 14, 15, 20):
        made, nodes, _ = columns(make("pytorch"), make("dotnet"), limit=limit)
        assert list(nodes) == list(range(limit))
        count = len(made["depth"])
        assert made["depth"] == complete["depth"][:count]
        for node, size in enumerate(made["size"]):
            assert bool(size) == bool(complete["size"][node])
            assert node + size <= count


def test_tree_columns(make: Make) -> None:
    made, strings = tree(make("pytorch"), make("dotnet", wrong="conv2", bypass="pool1"))
    names = [strings[number] for number in made["name"]]
    assert names[:3] == ["pnet", "conv1", "prelu1"]
    assert made["size"][:2] == [7, 0]
    assert made["depth"][:2] == [0, 1]
    assert made["calls"][3] == [7, 0]  # pool1, run by forward() on the right
    assert {names[node]: kinds for node, kinds in made["first"].items()} == {
        "pool1": ["structural"],
        "conv2": ["numeric"],
    }
    assert made["inside"][0] == sum(made["own"][:7])
    assert min(made["row"]) >= 0


def test_large_trees_come_folded_but_for_what_differs() -> None:
    events = [Event(i, f"net.block{i // 2}.m{i}", "M", "pre", i, -1) for i in range(2 * UNFOLDED)]
    made, strings = tree(Trace("a", events), Trace("b", [*events[:50], *events[51:]]))
    assert [strings[made["path"][node]] for node in made["open"]] == ["net", "net.block25"]
