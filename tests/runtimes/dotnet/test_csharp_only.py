"""Bridge.Torch alone, without a mirror, against PyTorch: complete programs in C#."""

from __future__ import annotations

import pytest

from hook_contract.program import Json, parse
from bridge.runtimes.dotnet import csharp_only
from bridge.runtimes.pytorch import programs as pytorch
from bridge.runtimes.registry import runtime

pytestmark = pytest.mark.usefixtures("dotnet_host")

LEAF: Json = {"kind": "leaf"}
PAIR: Json = {"kind": "sequence", "children": [{"name": "a", "kind": "leaf"}, {"name": "b", "same": "a"}]}


def hook(name: str, kind: str, *actions: Json, **fields: Json) -> Json:
    return {"do": "register", "hook": name, "kind": kind, "actions": list(actions), **fields}


def call(*args: Json, **fields: Json) -> Json:
    return {"do": "call", "args": list(args), **fields}


PROGRAMS: dict[str, tuple[Json, list[Json]]] = {
    "order": (
        PAIR,
        [
            hook("own", "pre", {"add": 1}),
            hook("all", "pre", **{"global": True}),
            hook("front", "forward", {"return": None}, on="a", prepend=True),
            hook("f", "forward", {"add": 0.5}, **{"global": True}),
            call(3, save="x"),
            call({"name": "x"}, module="b"),
            {"do": "forward", "args": [3]},
        ],
    ),
    "three arguments": (
        {"kind": "inputs"},
        [
            hook("g", "pre", **{"global": True}),
            hook("p", "pre", {"add": 1}),
            hook("f", "forward", {"return": 9}),
            call(1, 2),
            call(1, 2, 3),
            hook("q", "pre", {"return": {"tuple": [5, 6]}}, **{"global": True}),
            call(1, 2),
        ],
    ),
    "a tuple": (
        {"kind": "give", "form": "tuple"},
        [
            hook("g", "forward", {"return": {"tuple": [1, 2]}}, **{"global": True}),
            hook("h", "forward", {"add": 1}, **{"global": True}),
            hook("f", "forward", {"add": 1}),
            call(3),
        ],
    ),
    "recovery": (
        {"kind": "swallow", "children": [{"name": "a", "kind": "raise"}]},
        [
            hook("f", "forward", {"raise": "Error"}, on="a", always_call=True),
            hook("g", "forward", always_call=True, **{"global": True}),
            hook("h", "forward", on="a"),
            call(3),
        ],
    ),
    "threads": (
        {"kind": "recurse", "depth": 2},
        [
            hook("p", "pre", {"call": {"args": [1], "limit": 1}}),
            hook("g", "forward", {"add": 1}, **{"global": True}),
            call(1),
            {"do": "thread", "count": 4, "steps": [call(2, times=5), call(5)]},
            {"do": "with", "handle": "p", "steps": [call(2)]},
            call(2),
        ],
    ),
    "readings": (
        {"kind": "sequence", "children": [{"name": "a", "kind": "leaf", "parameters": True}, {"name": "b", "kind": "leaf"}]},
        [
            hook("p", "pre", {"read": {"what": "device", "name": "a.weight"}}, {"read": {"what": "value", "name": "a.bias"}}),
            call(3, save="x"),
            {"do": "read", "what": "value", "name": "x"},
            {"do": "read", "what": "device", "name": "x"},
            {"do": "read", "what": "device", "name": "b.bias"},
            call({"name": "x"}),
        ],
    ),
    "built during the run": (
        {"kind": "sequential", "children": [{"name": "a", "kind": "register", "register": {"hook": "late", "kind": "forward", "on": "a"}}]},
        [hook("p", "pre", on="a"), call(3), {"do": "remove", "handle": "late"}, call(3)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_leaves_the_trace_that_pytorch_leaves(name: str) -> None:
    tree, steps = PROGRAMS[name]
    subject = parse({"name": "p", "clauses": [], "about": "", "tree": tree, "steps": steps})
    expected = pytorch.RUNTIME.run(subject)[""]
    assert expected[-1]["event"] == "return"
    assert csharp_only.traces(subject) == {"typed/alone": expected, "object/alone": expected}


def test_types_that_forbid_a_tree_leave_its_variant_out() -> None:
    tree = {
        "kind": "sequence",
        "children": [{"name": "a", "kind": "give", "form": "tuple"}, {"name": "b", "kind": "leaf"}],
    }
    subject = parse({"name": "p", "clauses": [], "about": "", "tree": tree, "steps": [call(3)]})
    assert csharp_only.traces(subject).keys() == {"object/alone"}


def test_a_value_that_types_forbid_is_a_type_error() -> None:
    """F-2: over ``object`` it is as in PyTorch."""
    steps = [hook("f", "forward", {"return": {"plain": 0}}), call(3)]
    subject = parse({"name": "p", "clauses": ["F-2"], "about": "", "tree": LEAF, "steps": steps})
    traces = csharp_only.traces(subject)
    assert traces["object/alone"] == pytorch.RUNTIME.run(subject)[""]
    assert traces["typed/alone"][-1] == {"event": "raise", "error": "TypeError", "key": "F-2: types in .NET are fixed"}


def test_the_runtime_dotnet_has_these_variants_where_c_sharp_knows_every_word() -> None:
    plain = parse({"name": "p", "clauses": [], "about": "", "tree": LEAF, "steps": [call(3)]})
    graded = parse(
        {"name": "p", "clauses": [], "about": "", "tree": LEAF, "steps": [{"do": "no_grad", "steps": [call(3)]}]}
    )
    dotnet = runtime("dotnet")
    assert {"typed/alone", "object/alone"} < dotnet.run(plain).keys()
    assert not {"typed/alone", "object/alone"} & dotnet.run(graded).keys()
