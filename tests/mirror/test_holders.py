"""bridge/mirror/holders.py: a mirrored collection is indexed and iterated as PyTorch's own is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge

_SOURCE = """using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;
namespace Holding;

public sealed class Own : Sequential<Tensor, Tensor>
{
    public Own() : base(("a", Linear(2, 2)), ("b", ReLU())) { }
    public override Tensor forward(Tensor x) => ((ReLU)this[1]).call(((Linear)this[0]).call(x));
}

public sealed class Net : Module<Tensor, Tensor>
{
    private readonly ModuleList<Linear> layers = new(Linear(2, 2), Linear(2, 2), Linear(2, 2));
    private readonly ModuleDict<Module<Tensor, Tensor>> named =
        ModuleDict<Module<Tensor, Tensor>>(("first", ReLU()), ("second", Linear(2, 2)));
    private readonly Sequential seq = Sequential(("conv", Linear(2, 2)), ("act", Tanh()));
    private readonly Own own = new();
    private readonly ParameterList scales = ParameterList(Parameter(ones([2])), Parameter(ones([2]) * 2));
    private readonly ParameterDict shifts = ParameterDict(("x", Parameter(zeros([2]))), ("y", Parameter(ones([2]))));
    private readonly ModuleList<Module> empty = ModuleList();

    public Net() : base("Net") => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        foreach (var layer in layers) x = layer.call(x);
        foreach (var (_, module) in named) x = module.call(x);
        return own.call(seq.call(x)) * scales[0] * scales[1] + shifts["x"] + shifts["y"];
    }
}
"""


@pytest.fixture
def net(build_csharp: Callable[..., Path]) -> Any:
    return bridge.load(build_csharp({"Holding.cs": _SOURCE}, "Holding"), "Holding.Net")


@pytest.fixture
def counterpart() -> Any:
    """The same tree in PyTorch."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
            self.named = nn.ModuleDict({"first": nn.ReLU(), "second": nn.Linear(2, 2)})
            self.seq = nn.Sequential()
            self.seq.add_module("conv", nn.Linear(2, 2))
            self.seq.add_module("act", nn.Tanh())
            self.own = nn.Sequential()
            self.own.add_module("a", nn.Linear(2, 2))
            self.own.add_module("b", nn.ReLU())
            self.scales = nn.ParameterList([torch.ones(2), torch.ones(2)])
            self.shifts = nn.ParameterDict({"x": torch.ones(2), "y": torch.ones(2)})
            self.empty = nn.ModuleList()

    return Net()


def _found(look: Callable[[Any], Any], model: Any) -> object:
    """What looking gives, with modules and parameters described by their names; or the exception's type."""
    names = {item: path for path, item in (*model.named_modules(), *model.named_parameters())}

    def described(item: Any) -> object:
        if item in names if isinstance(item, (nn.Module, nn.Parameter)) else False:
            return names[item]
        if isinstance(item, (nn.ModuleList, nn.Sequential)):
            return type(item).__name__, [(name, names[child]) for name, child in item.named_children()]
        if isinstance(item, nn.ParameterList):
            return type(item).__name__, [names[child] for child in item]
        return [described(part) for part in item] if isinstance(item, (list, tuple)) else item

    try:
        return described(look(model))
    except (IndexError, KeyError, TypeError) as error:
        return type(error)


@pytest.mark.parametrize(
    "look",
    [
        lambda m: [m.layers[0], m.layers[-1], m.layers[torch.tensor(1)]],
        lambda m: [len(m.layers), len(m.named), len(m.seq), len(m.own), len(m.scales), len(m.shifts), len(m.empty)],
        lambda m: [bool(m.layers), bool(m.empty)],
        lambda m: [*m.layers, *m.seq, *m.own, *m.scales],
        lambda m: list(reversed(m.layers)),
        lambda m: [m.layers[0] in m.layers, m.seq[0] in m.layers, "first" in m.named, "third" in m.named, "x" in m.shifts],
        lambda m: m.layers[1:],
        lambda m: m.layers[::-2],
        lambda m: m.seq[:1],
        lambda m: m.own[-1:],
        lambda m: m.scales[1:],
        lambda m: [m.seq[1], m.seq[-2], m.own[0], m.scales[-1]],
        lambda m: [m.named["second"], m.shifts["y"]],
        lambda m: [*m.named],
        lambda m: [list(m.named.keys()), list(m.named.values()), list(m.named.items())],
        lambda m: [list(m.shifts.keys()), list(m.shifts.values()), list(m.shifts.items())],
        lambda m: m.layers[3],
        lambda m: m.layers[-4],
        lambda m: m.seq[2],
        lambda m: m.scales[2],
        lambda m: m.empty[0],
        lambda m: m.layers["0"],
        lambda m: m.layers[0.5],
        lambda m: m.named["third"],
    ],
)  # fmt: skip
def test_as_in_pytorch(net: Any, counterpart: Any, look: Callable[[Any], Any]) -> None:
    assert _found(look, net) == _found(look, counterpart)


def test_what_replaces_an_item_runs_in_dotnet_too(net: Any) -> None:
    calls: list[str] = []

    class Reporting(nn.Linear):
        def forward(self, input: torch.Tensor) -> torch.Tensor:
            calls.append(self.name)
            return super().forward(input)

    for holder, key in ((net.layers, -1), (net.named, "first"), (net.seq, 0), (net.own, 1)):
        holder[key] = Reporting(2, 2)
        holder[key].name = f"{type(holder).__name__} {key}"
    net(torch.ones(1, 2))
    assert calls == ["ModuleList -1", "ModuleDict first", "Sequential 0", "Own 1"]
    net.scales[0] = nn.Parameter(torch.zeros(2))
    net.shifts["y"] = nn.Parameter(torch.full((2,), 5.0))
    assert torch.equal(net(torch.ones(1, 2)), torch.full((1, 2), 5.0))


def test_what_dotnet_would_never_use_is_refused(net: Any) -> None:
    with pytest.raises(KeyError, match=r"'third' is not one of first, second, and \.NET would never use it"):
        net.named["third"] = nn.ReLU()
    with pytest.raises(KeyError, match="z"):  # PyTorch's own says AttributeError
        net.shifts["z"]
    with pytest.raises(IndexError, match="index 3 is out of range: there are 3"):
        net.layers[3] = nn.Linear(2, 2)
    for holder in (net.layers, net.seq):
        with pytest.raises(AttributeError, match="append"):
            holder.append(nn.Linear(2, 2))


def test_a_part_of_a_sequential_runs(net: Any) -> None:
    x = torch.ones(1, 2)
    assert torch.equal(net.seq[:1](x), net.seq.conv(x))
