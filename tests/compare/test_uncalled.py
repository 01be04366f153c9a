"""bridge/compare/uncalled.py: modules that never appear (C-3)."""

from __future__ import annotations

import torch
from torch import nn

from bridge.compare.uncalled import find_bypassed, find_missing, fix, registered_modules
from bridge.runtimes import pytorch
from bridge.trace import Trace


class Model(nn.Module):
    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(2, 2), nn.ReLU())])
        self.spare = nn.Sequential(nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block.forward(x) if self.how == "forward" else block(x)
        return x


def _run(model: nn.Module) -> Trace:
    with pytorch.record(model) as recording:
        model(torch.ones(1, 2))
    return recording.trace


def test_a_module_list_is_never_called_and_nobody_expects_it() -> None:
    model = Model("call")
    assert not registered_modules(model)["blocks"].callable
    assert find_bypassed(_run(model), registered_modules(model)) == []


def test_children_without_their_owner_betray_it() -> None:
    """The spare part, none of whose children ran, is not named."""
    model = Model("forward")
    assert find_bypassed(_run(model), registered_modules(model)) == ["blocks.0"]
    assert fix("blocks.0", "dotnet") == "blocks[0].call(x)"
    assert fix("blocks.0", "torchsharp") == fix("blocks.0", "torchsharp-in-process") == "blocks[0].call(x)"
    assert fix("blocks.0", "pytorch") == "self.blocks[0](x)"


def test_modules_called_on_one_side_only() -> None:
    left, right = Model("call"), Model("forward")
    right.spare = nn.Identity()
    left.extra = nn.Linear(2, 2)
    left.register_forward_pre_hook(lambda module, args: module.extra(args[0]))
    lines = find_missing(_run(left), _run(right), (registered_modules(left), registered_modules(right)), ("a", "b"))
    assert [str(line) for line in lines] == [
        "blocks.0: called in a; in b it is registered but was never called.",
        "extra: called in a; in b it is not registered.",
    ]
    reported = find_missing(
        _run(left), _run(right), (registered_modules(left), registered_modules(right)), ("a", "b"), ["blocks.0"]
    )
    assert reported == lines[1:]
