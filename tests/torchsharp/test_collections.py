"""Modules/Containers/ComponentList.cs, ComponentDict.cs: collections register what they hold, in PyTorch's order and under its names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge

_SOURCE = """using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Holders;

public sealed class Holder : Module<Tensor, Tensor>
{
    private readonly ModuleList<Module<Tensor, Tensor>> list = ModuleList<Module<Tensor, Tensor>>(Linear(3, 3), ReLU());
    private readonly ModuleDict<Module<Tensor, Tensor>> named = ModuleDict<Module<Tensor, Tensor>>(("z", Linear(3, 3)), ("a", Tanh()));
    private readonly ModuleList<ModuleList<Linear>> nested = new(new ModuleList<Linear>(Linear(3, 3)), new ModuleList<Linear>());
    private readonly ParameterList scales = ParameterList(Parameter(ones([3])), Parameter(ones([3]) * 0.5, false));
    private readonly ParameterDict shifts = ParameterDict(("y", Parameter(zeros([3]))), ("b", Parameter(ones([3]))));
    private readonly ModuleList<Module> empty = ModuleList();

    public Holder(bool early) : base(nameof(Holder))
    {
        if (early) RegisterComponents();
        list.Add(Linear(3, 3));
        list.append(ReLU(), Tanh());
        nested[1].extend([Linear(3, 3), Linear(3, 3)]);
        named.Add("last", Linear(3, 3));
        scales.Add(Parameter(ones([3]) * 2));
        shifts["last"] = Parameter(ones([3]) * 3);
        if (!early) RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        foreach (var module in list) input = module.call(input);
        for (var i = 0; i < nested.Count; i++)
            foreach (var linear in nested[i]) input = linear.call(input);
        foreach (var (_, module) in named) input = module.call(input);
        for (var i = 0; i < scales.Count; i++) input = input * scales[i] + scales[i];
        foreach (var (name, shift) in shifts) input = input + shifts[name] * shift;
        return input;
    }
}

/// <summary>Runs a script of changes on a collection in its constructor; an error comes out of it.</summary>
public sealed class Changed : Module<Tensor, Tensor>
{
    private readonly ModuleList<Linear> list = new(Linear(2, 1), Linear(2, 2), Linear(2, 3));
    private readonly ModuleDict<Linear> named = ModuleDict(("one", Linear(2, 1)), ("two", Linear(2, 2)));
    private readonly ParameterList scales = new(Parameter(ones([1])), Parameter(ones([2])));
    private readonly ParameterDict shifts = new();
    private readonly string change;

    public Changed(string change) : base(nameof(Changed))
    {
        this.change = change;
        RegisterComponents();
        if (!change.StartsWith("late ")) Change(change);
    }

    public override Tensor forward(Tensor input)
    {
        if (change.StartsWith("late ")) Change(change[5..]);
        return input;
    }

    private static void Expect(bool fact)
    {
        if (!fact) throw new System.InvalidOperationException("the C# side disagrees");
    }

    private void Change(string name)
    {
        switch (name)
        {
            case "insert": list.Insert(1, Linear(2, 9)); break;
            case "remove": Expect(list.Remove(list[1]) && !list.Remove(Linear(1, 1))); break;
            case "remove at": list.RemoveAt(0); scales.RemoveAt(0); break;
            case "set": list[1] = Linear(2, 9); scales[1] = Parameter(ones([9])); break;
            case "clear": list.Clear(); named.Clear(); scales.Clear(); break;
            case "twice": list.Add(list[0]); break;
            case "rename": named[0] = ("uno", named["one"]); break;
            case "put": named["one"] = Linear(2, 9); named["new"] = Linear(2, 8); break;
            case "drop": Expect(named.Remove("one") && !named.Remove("one")); break;
            case "front": named.Insert(0, ("front", Linear(2, 9))); shifts.Add(("s", Parameter(ones([4])))); break;
            case "look":
                Expect(list.IndexOf(list[2]) == 2 && list.Contains(list[1]) && !list.Contains(Linear(2, 2)) && list.Count == 3);
                Expect(named.Keys.SequenceEqual(["one", "two"]) && named.Values.Last() == named["two"] && named.Count == 2);
                Expect(named.TryGetValue("two", out var two) && two == named[1].Item2);
                Expect(named.ContainsKey("one") && !named.TryGetValue("x", out _));
                Expect(((IDictionary<string, Linear>)named).Select(pair => pair.Key).SequenceEqual(["one", "two"]));
                var copies = new Linear[4];
                list.CopyTo(copies, 1);
                Expect(copies[0] is null && copies[3] == list[2] && list.SequenceEqual(copies.Skip(1)));
                break;
            case "same name": named.Add("one", Linear(2, 9)); break;
            case "dotted": named.Add("a.b", Linear(2, 9)); break;
            case "no key": Expect(named["three"] is null); break;
            case "null": list.Add(null!); break;
            default: throw new System.ArgumentException(name);
        }
    }
}
"""


class Holder(nn.Module):
    """The PyTorch original."""

    def __init__(self) -> None:
        super().__init__()
        self.list = nn.ModuleList([nn.Linear(3, 3), nn.ReLU()])
        self.named = nn.ModuleDict({"z": nn.Linear(3, 3), "a": nn.Tanh()})
        self.nested = nn.ModuleList([nn.ModuleList([nn.Linear(3, 3)]), nn.ModuleList()])
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3) * 0.5, False)])
        self.shifts = nn.ParameterDict(
            [("y", nn.Parameter(torch.zeros(3))), ("b", nn.Parameter(torch.ones(3)))]
        )  # a plain dict is sorted
        self.empty = nn.ModuleList()
        self.list.append(nn.Linear(3, 3))
        self.list.extend([nn.ReLU(), nn.Tanh()])
        self.nested[1].extend([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.named["last"] = nn.Linear(3, 3)
        self.scales.append(nn.Parameter(torch.ones(3) * 2))
        self.shifts["last"] = nn.Parameter(torch.ones(3) * 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for module in self.list:
            x = module(x)
        for group in self.nested:
            for linear in group:
                x = linear(x)
        for module in self.named.values():
            x = module(x)
        for scale in self.scales:
            x = x * scale + scale
        for shift in self.shifts.values():
            x = x + shift * shift
        return x


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    return build_csharp({"Holders.cs": _SOURCE}, "Holders")


@pytest.fixture
def pair(assembly: Path) -> Callable[[bool], tuple[nn.Module, nn.Module]]:
    def make(early: bool) -> tuple[nn.Module, nn.Module]:
        torch.manual_seed(3)
        ours = bridge.load(assembly, "Holders.Holder", early)
        torch.manual_seed(3)
        return ours, Holder()

    return make


@pytest.mark.parametrize("early", [False, True], ids=["registered last", "registered first"])
def test_the_tree_and_the_values_equal_the_originals(early: bool, pair: Any, same_state: Any) -> None:
    """What is added after the collection was registered is registered too, as in PyTorch."""
    ours, counterpart = pair(early)
    same_state(ours, counterpart)
    assert len(ours.state_dict()) > 15


@pytest.mark.parametrize("early", [False, True])
def test_outputs_and_gradients_equal_the_originals(early: bool, pair: Any, step: Any) -> None:
    ours, counterpart = pair(early)
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        step(ours.to(dtype), counterpart.to(dtype), torch.randn(4, 3).to(dtype), str(dtype))


def test_python_sets_what_csharp_reads_next(pair: Any, bits_equal: Any) -> None:
    """Whose parameters: the mirror's, those of a collection too."""
    ours, counterpart = pair(False)
    for model in (ours, counterpart):
        model.get_submodule("nested.1.0").weight = nn.Parameter(torch.full((3, 3), 0.25))
        model.shifts.y = nn.Parameter(torch.tensor([5.0, 6.0, 7.0]))
        with torch.no_grad():
            model.scales.get_parameter("0").mul_(3)
    x = torch.randn(4, 3)
    assert bits_equal(ours(x), counterpart(x))


def test_training_reaches_what_is_nested(pair: Any) -> None:
    ours, _ = pair(True)
    ours.eval()
    assert not any(module.training for module in ours.modules())


def test_collections_cannot_be_called_and_their_hooks_never_fire(pair: Any) -> None:
    """I-16: those of what they hold do."""
    for model in pair(False):
        fired: list[str] = []
        for name, module in model.named_modules():
            module.register_forward_pre_hook(lambda *_, name=name: fired.append(name))
        model(torch.ones(1, 3))
        assert fired == [
            "", "list.0", "list.1", "list.2", "list.3", "list.4", "nested.0.0", "nested.1.0", "nested.1.1",
            "named.z", "named.a", "named.last",
        ]  # fmt: skip
        for name in ("list", "named", "nested.0"):
            with pytest.raises(
                NotImplementedError, match=r'Module \[Module(List|Dict)\] is missing the required "forward" function'
            ):
                model.get_submodule(name)(torch.ones(1, 3))


@pytest.mark.parametrize(
    ("change", "shapes"),
    [
        ("insert", {"list": [1, 9, 2, 3]}),
        ("remove", {"list": [1, 3]}),
        ("remove at", {"list": [2, 3], "scales": [2]}),
        ("set", {"list": [1, 9, 3], "scales": [1, 9]}),
        ("clear", {"list": [], "named": {}, "scales": []}),
        ("twice", {"list": [1, 2, 3, 1]}),
        ("rename", {"named": {"uno": 1, "two": 2}}),
        ("put", {"named": {"one": 9, "two": 2, "new": 8}}),
        ("drop", {"named": {"two": 2}}),
        ("front", {"named": {"front": 9, "one": 1, "two": 2}, "shifts": {"s": 4}}),
        ("look", {}),
    ],
)
def test_changes_renumber_and_register_anew(change: str, shapes: dict[str, Any], assembly: Path) -> None:
    ours = bridge.load(assembly, "Holders.Changed", change)
    expected = {"list": [1, 2, 3], "named": {"one": 1, "two": 2}, "scales": [1, 2], "shifts": {}} | shapes
    for name, wanted in expected.items():
        pairs = list(wanted.items()) if isinstance(wanted, dict) else [(str(i), size) for i, size in enumerate(wanted)]
        holder = ours.get_submodule(name)
        found = [
            (key, child.out_features if hasattr(child, "out_features") else len(child.bias))
            for key, child in holder._modules.items()
        ]
        found += [(key, len(value)) for key, value in holder.named_parameters(recurse=False)]
        assert found == pairs, name


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("same name", r"The name 'one' is in the ModuleDict already"),
        ("dotted", r"'a\.b' is not a valid name"),
        ("no key", r"'three' is not one of one, two"),
        ("null", "value"),
    ],
)
def test_what_cannot_be_registered_is_named(change: str, text: str, assembly: Path) -> None:
    with pytest.raises(bridge.DotNetError, match=text):
        bridge.load(assembly, "Holders.Changed", change)


def test_a_loaded_models_collection_may_change(assembly: Path) -> None:
    """Python has what C# put into it when the call is over, at the latest."""
    ours = bridge.load(assembly, "Holders.Changed", "late insert")
    before = list(ours.get_submodule("list").children())
    ours(torch.ones(1))
    after = list(ours.get_submodule("list").children())
    assert [child for child in after if child in before] == before
    assert len(after) == len(before) + 1
