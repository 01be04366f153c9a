"""bridge.compare.report.module_tree: the module tree of a diff, and by how much each module's results differ."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from bridge.compare.report.module_tree import DEEPEST, Gap, TreeNode, modules, row_gaps, walk
from bridge.trace import Event, Trace, Value
from bridge.trace.diff import Diff, diff

Make = Callable[..., Trace]


def by_path(found: Diff) -> dict[str, TreeNode]:
    return {module.path: module for module in walk(modules(found, row_gaps(found)))}


def gap(*values: Value) -> Gap | None:
    x, y = (Event(0, "", "M", "pre", 0, -1, values=(value,)) for value in values)
    return row_gaps(Diff(Trace("a", [x]), Trace("b", [y]), ((x, y),))).get(0)


def tensor(content: object, dtype: str = "float64", digest: str | None = None, full: bool = True) -> Value:
    data = np.asarray(content, dtype)
    return Value("tensor", data.shape, dtype, "cpu", digest, data=data if full else None)


def test_several_named_models_stand_at_the_top(make: Make) -> None:
    found = diff(make("pytorch"), make("dotnet"))
    top = modules(found, row_gaps(found))
    assert [(module.path, module.type, module.calls, module.depth) for module in top] == [
        ("pnet", "Pnet", [7, 7], 0),
        ("rnet", "Rnet", [1, 1], 0),
    ]
    assert [module.name for module in top[0].children][:3] == ["conv1", "prelu1", "pool1"]
    assert all(module.gap == Gap() for module in walk(top))


def test_containers_that_never_ran_and_the_root() -> None:
    events = [Event(0, "", "Net", "pre", 0, -1), Event(1, "layers.0", "Linear", "pre", 1, 0)]
    found = by_path(diff(Trace("a", events), Trace("b", events[:1])))
    assert [(path, module.type, module.depth, module.calls) for path, module in found.items()] == [
        ("", "Net", 0, [1, 1]),
        ("layers", "", 1, [0, 0]),
        ("layers.0", "Linear", 2, [1, 0]),
    ]


def test_first_differences_of_each_kind_are_listed(make: Make) -> None:
    found = diff(make("pytorch"), make("dotnet", bypass="pool1", wrong="conv2"))
    known = by_path(found)
    assert {path: module.first for path, module in known.items() if module.first} == {
        "pnet.pool1": ["structural"],
        "pnet.conv2": ["numeric"],
    }
    first = found.first_numeric
    assert first is not None
    assert known["pnet.conv2"].row == first.row
    assert known["pnet.conv2"].out_of_tolerance
    assert known["pnet.conv2"].gap == Gap(0.5, pytest.approx(1 / 3))
    assert known["pnet.conv1"].differences == 0
    assert known["rnet.conv2"].differences == 1


def test_gaps_within_tolerance_are_known_too(make: Make) -> None:
    found = diff(make("pytorch"), make("dotnet", wrong="conv2"), atol=1.0)
    assert found.same
    known = by_path(found)["pnet.conv2"]
    assert (known.gap, known.out_of_tolerance) == (Gap(0.5, pytest.approx(1 / 3)), False)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (tensor([1.0, math.nan, math.inf]), tensor([1.0, math.nan, math.inf]), Gap()),
        (tensor([1.0, 4.0]), tensor([1.0, 2.0]), Gap(2.0, 0.5)),
        (tensor([math.nan]), tensor([1.0]), Gap(math.inf, math.inf)),
        (tensor([math.inf]), tensor([-math.inf]), Gap(math.inf, math.inf)),
        (tensor([3 + 4j], "complex64"), tensor([0j], "complex64"), Gap(4.0, 1.0)),  # by component
        (tensor([True, False], "bool"), tensor([True, True], "bool"), Gap(1.0, 1.0)),
        (tensor(np.zeros((0, 3))), tensor(np.zeros((0, 3))), Gap()),
        (tensor([1.0], digest="a", full=False), tensor([1.0], digest="a", full=False), Gap()),
        (tensor([1.0], digest="a", full=False), tensor([1.0], digest="b", full=False), Gap(math.inf, math.inf)),
        (tensor([1.0], full=False), tensor([1.0], full=False), None),
        (tensor([1.0]), tensor([1.0, 2.0]), None),
        (Value("int", literal=3), Value("int", literal=1), Gap(2.0, 2 / 3)),
        (Value("int", literal=10**400), Value("int", literal=1), Gap(math.inf, math.inf)),
        (Value("str", literal="a"), Value("str", literal="b"), None),
        (Value("none"), tensor([1.0]), None),
    ],
)
def test_gap_of_two_values(x: Value, y: Value, expected: Gap | None) -> None:
    assert gap(x, y) == expected


def test_deep_paths_are_cut() -> None:
    path = ".".join("m" for _ in range(5_000))
    found = by_path(diff(Trace("a", [Event(0, path, "M", "pre", 0, -1)]), Trace("b")))
    assert max(module.depth for module in found.values()) == DEEPEST
    assert path in found
