"""bridge/compare/io/containers.py: results by key and by place, and what holds them."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge
from bridge.compare.comparison import compare
from bridge.compare.io.containers import KeyedOutputs, differences, form, format_form
from bridge.compare.io.inputs import Inputs
from bridge.compare.result import Comparison

A, B, C = torch.zeros(1), torch.ones(1), torch.full((1,), 2.0)
NAMES = ("pytorch", "dotnet")

CSHARP = """
using System.Collections.Generic;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

public class Keyed : Module<Tensor, Dictionary<string, Tensor>>
{
    private readonly string[] keys;
    private readonly TorchSharp.Modules.Linear fc = Linear(3, 3);
    public Keyed(string keys) : base("Keyed") { this.keys = keys.Split(','); RegisterComponents(); }
    public override Dictionary<string, Tensor> forward(Tensor x)
    {
        var y = fc.call(x);
        var all = new Dictionary<string, Tensor> { ["boxes"] = y, ["scores"] = y + 1, ["wrong"] = y, ["names"] = y + 1 };
        var result = new Dictionary<string, Tensor>();
        foreach (var key in keys) result[key] = all[key];
        return result;
    }
}

public class Taking : Module<Dictionary<string, Tensor>, Tensor>
{
    private readonly TorchSharp.Modules.Linear fc = Linear(3, 3);
    public Taking() : base("Taking") => RegisterComponents();
    public override Tensor forward(Dictionary<string, Tensor> found) => fc.call(found["boxes"] - found["scores"]);
}

public class Around : Module<Tensor, Tensor>
{
    private readonly Keyed inner;
    private readonly Taking last = new();
    public Around(string keys) : base("Around") { inner = new Keyed(keys); RegisterComponents(); }
    public override Tensor forward(Tensor x)
    {
        var found = inner.call(x);
        if (!found.ContainsKey("scores")) found["scores"] = found["names"];
        return last.call(found);
    }
}

public class AroundPlaced : Module<Tensor, Tensor>
{
    private readonly Placed inner = new();
    public AroundPlaced() : base("AroundPlaced") => RegisterComponents();
    public override Tensor forward(Tensor x) { var (a, b, c) = inner.call(x); return a + b + c; }
}

public class Placed : Module<Tensor, (Tensor, Tensor, Tensor)>
{
    private readonly TorchSharp.Modules.Linear fc = Linear(3, 3);
    public Placed() : base("Placed") => RegisterComponents();
    public override (Tensor, Tensor, Tensor) forward(Tensor x) { var y = fc.call(x); return (y, y + 1, y + 2); }
}

public class Nested : Module<Tensor, (Tensor, (Tensor, Tensor))>
{
    private readonly TorchSharp.Modules.Linear fc = Linear(3, 3);
    public Nested() : base("Nested") => RegisterComponents();
    public override (Tensor, (Tensor, Tensor)) forward(Tensor x) { var y = fc.call(x); return (y, (y + 1, y + 2)); }
}
"""


@dataclass
class Found:
    boxes: Any
    scores: Any


class Taking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, found: Any) -> Any:
        return self.fc(found["boxes"] - found["scores"])


class Around(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Original("dict")
        self.last = Taking()

    def forward(self, x: torch.Tensor) -> Any:
        return self.last(self.inner(x))


class AroundPlaced(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Original("nested")

    def forward(self, x: torch.Tensor) -> Any:
        a, (b, c) = self.inner(x)
        return a + b + c


class Original(nn.Module):
    def __init__(self, how: str) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.how = how

    def forward(self, x: torch.Tensor) -> Any:
        y = self.fc(x)
        return {
            "dict": {"boxes": y, "scores": y + 1},
            "class": Found(y, y + 1),
            "more": OrderedDict(labels=y - 1, boxes=y, scores=y + 1),
            "nested": (y, (y + 1, y + 2)),
        }[self.how]


@pytest.fixture(scope="module")
def assembly(build_csharp: Any) -> Path:
    return build_csharp({"Containers.cs": CSHARP}, "Containers")


@pytest.fixture
def compared(assembly: Path) -> Any:
    def run(how: str | nn.Module, port: str, *arguments: str, **options: Any) -> Comparison:
        left, right = Original(how) if isinstance(how, str) else how, bridge.load(assembly, port, *arguments)
        right.load_state_dict(left.state_dict())
        return compare(left, right, Inputs((torch.randn(2, 3),), {}), backward=True, **options)

    return run


@pytest.mark.dotnet
@pytest.mark.parametrize("how", ["dict", "class"])
def test_keys_in_another_order_are_the_same(compared: Any, how: str) -> None:
    """Values and gradients by key."""
    for keys in ("boxes,scores", "scores,boxes"):
        found = compared(how, "Keyed", keys)
        assert found.same, found.explain()
        assert found.findings == ()


@pytest.mark.dotnet
def test_other_keys_are_another_structure(compared: Any) -> None:
    found = compared("dict", "Keyed", "wrong,names")
    assert not found.same
    assert "another structure of the result" in found.verdict
    assert [finding.kind for finding in found.findings] == ["structure"]
    assert found.findings[0].message == (
        "The result has the keys boxes, scores in pytorch and the keys wrong, names in dotnet."
    )
    assert compared("dict", "Keyed", "wrong,names", any_structure=True).same


@pytest.mark.dotnet
def test_a_key_of_two_in_its_place(compared: Any) -> None:
    found = compared("dict", "Keyed", "boxes,names")
    assert found.findings[
        0
    ].message == "The result has the keys scores in pytorch and the keys names in dotnet.".replace(
        "the keys", "the key"
    )


@pytest.mark.dotnet
def test_some_of_the_keys_are_compared_by_key_and_the_rest_is_named(compared: Any) -> None:
    found = compared("more", "Keyed", "scores,boxes")
    assert found.same, found.explain()
    assert [finding.kind for finding in found.findings] == ["left out"]
    assert "the C# model's keys were compared: `scores`, `boxes`; not compared: `labels`" in found.findings[0].message


@pytest.mark.dotnet
def test_nested_against_flat_is_a_difference_that_can_be_declared_equal(compared: Any) -> None:
    found = compared("nested", "Placed")
    assert not found.same
    assert found.diff.same
    assert found.findings[0].message == (
        "The result is (tensor, (tensor, tensor)) in pytorch and (tensor, tensor, tensor) in dotnet."
    )
    assert compared("nested", "Placed", any_structure=True).same
    assert compared("nested", "Nested").same


@pytest.mark.dotnet
def test_keys_of_a_module_inside_in_another_order_are_the_same(compared: Any) -> None:
    """What it returns, and what a module after it is given."""
    for keys in ("boxes,scores", "scores,boxes"):
        found = compared(Around(), "Around", keys)
        assert found.same, found.explain()
        assert found.findings == ()
    assert not compared(Around(), "Around", "scores,boxes", lockstep=False).same


@pytest.mark.dotnet
def test_other_keys_of_a_module_inside_are_a_difference_although_all_values_are_equal(compared: Any) -> None:
    found = compared(Around(), "Around", "boxes,names")
    inside = [finding for finding in found.findings if finding.kind == "structure"]
    assert not found.same
    assert [(finding.path, finding.message) for finding in inside] == [
        ("inner", "inner (Original): the result has the key scores in pytorch and the key names in dotnet.")
    ]


@pytest.mark.dotnet
def test_nested_against_flat_inside_is_a_difference_that_can_be_declared_equal(compared: Any) -> None:
    found = compared(AroundPlaced(), "AroundPlaced")
    assert [(finding.kind, finding.path) for finding in found.findings] == [("structure", "inner")]
    assert compared(AroundPlaced(), "AroundPlaced", any_structure=True).same


def test_forms() -> None:
    point = namedtuple("point", "x y")
    assert form((A, [B, C])) == ("tensor", ("tensor", "tensor"))
    assert form({"a": A, "b": (None, 1)}) == {"a": "tensor", "b": ("None", "int")}
    assert form(Found(A, B)) == {"boxes": "tensor", "scores": "tensor"} == form({"boxes": A, "scores": B})
    assert form(point(A, B)) == {"x": "tensor", "y": "tensor"}
    assert format_form(form({"a": A, "b": ([B], 1)})) == "{a: tensor, b: ((tensor,), int)}"


def test_keys_against_places_are_no_difference_but_places_against_keys_are() -> None:
    """C# has no dataclasses, and gives tuples for them."""
    assert differences(form(Found(A, B)), form((A, B)), NAMES) == []
    assert differences(form((A, B)), form({"a": A, "b": B}), NAMES) == [
        "The result is (tensor, tensor) in pytorch and {a: tensor, b: tensor} in dotnet."
    ]
    assert differences(form((A, Found(A, B))), form((A, (A, B))), NAMES) == []
    inside = differences(form((A, {"x": A})), form((A, {"y": A})), NAMES)
    assert inside == ["The result[1] has the key x in pytorch and the key y in dotnet."]
    inner = differences(form({"a": {"x": A}}), form({"a": {"y": A}}), NAMES)
    assert inner == ["The result['a'] has the key x in pytorch and the key y in dotnet."]
    fewer = differences(form({"a": A, "b": B}), form({"a": A}), NAMES)
    assert fewer == ["The result has the key b in pytorch and only a in dotnet."]


def test_a_result_in_order_stays_the_same_object() -> None:
    def same(result: Any) -> Any:
        return result

    result = ({"a": A, "b": B}, C)
    assert KeyedOutputs(form(result), same, True)(result) is result
    other = KeyedOutputs(form(({"b": B, "a": A}, C)), same, True)(result)
    assert list(other[0]) == ["b", "a"]
    assert KeyedOutputs("tensor", same, True)({1: A}) == {1: A}


def test_numbers_as_keys_are_texts_in_csharp() -> None:
    chosen = KeyedOutputs(form({"2": C}), lambda result: result, True)
    assert chosen({1: B, 2: C}) == {"2": C}
    assert chosen.left_out == ["1"]
