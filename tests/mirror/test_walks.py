"""NN/Registration/Components.cs: C# that walks a collection meets what is there when its turn comes, as PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

Load = Callable[..., Any]
X = torch.tensor([[1.0, -2.0]])

#: Ways to walk a collection, or the children of any module, in C#.
WAYS = [
    "layers",
    "layers: Select",
    "layers: children",
    "layers: named_children",
    "layers: modules",
    "layers: index",
    "named",
    "named: pairs",
    "named: items",
    "named: values",
    "named: Values",
    "named: keys",
    "named: Keys",
    "named: children",
    "seq: call",
    "seq: children",
    "seq: named_children",
    "seq: modules",
    "seq: index",
    "own: children",
    "own: named_children",
    "own: modules",
]


def _linear(seed: int) -> nn.Linear:
    torch.manual_seed(seed)
    return nn.Linear(2, 2)


def _exchange(walked: nn.Module, name: str, other: str) -> None:
    modules = walked._modules
    first, second = modules[name], modules[other]
    walked.add_module(name, second)
    walked.add_module(other, first)


#: What is called when it happens, and what happens.
MEANWHILE: dict[str, tuple[str, Callable[[Any], object]]] = {
    "exchange": ("0", lambda walked: _exchange(walked, "1", "2")),
    "exchange with one that was called": ("1", lambda walked: _exchange(walked, "0", "2")),
    "replace": ("0", lambda walked: walked.add_module("2", _linear(5))),
    "replace the next": ("0", lambda walked: walked.add_module("1", nn.Tanh())),
    "move": ("0", lambda walked: walked.add_module("2", walked._modules["1"])),
}


class Counterpart(nn.Module):
    """Models.Walks in PyTorch."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
        self.named = nn.ModuleDict({str(i): nn.Linear(2, 2) for i in range(3)})
        self.seq = nn.Sequential(*(nn.Linear(2, 2) for _ in range(3)))
        self.own = nn.Module()
        for i in range(3):
            self.own.add_module(str(i), nn.Linear(2, 2))
        self.walked = way.partition(": ")[0]  # what is walked; PyTorch has one way

    def forward(self, x: Any) -> Any:
        for layer in self.get_submodule(self.walked)._modules.values():
            x = layer(x)
        return x


@pytest.mark.parametrize("pythons", [False, True], ids=["", "Python's own"])
@pytest.mark.parametrize("change", MEANWHILE)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_changed_meanwhile(load: Load, way: str, change: str, pythons: bool) -> None:
    """Also in the place of a module of Python's own, and once more when it is over."""
    net, twin = load("Walks", way), Counterpart(way)
    twin.load_state_dict(net.state_dict())
    at, run = MEANWHILE[change]
    results = []
    for model in (net, twin):
        walked = model.get_submodule(twin.walked)
        if pythons:
            walked.add_module("1", _linear(8))
            walked.add_module("2", _linear(9))
            model(X)
        hook = walked._modules[at].register_forward_pre_hook(lambda *_, run=run, walked=walked: run(walked) and None)
        during = model(X)
        hook.remove()
        results.append((during, model(X)))
    for found, expected in zip(*results, strict=True):
        assert torch.equal(found, expected)
