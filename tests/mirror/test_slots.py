"""MirrorSlot.cs: a weight that C# reads is what Python has in its place, whoever put it there."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrize

Load = Callable[..., Any]
X = torch.tensor([[1.0, -2.0]])


class Doubling(nn.Module):
    def forward(self, x: Any) -> Any:
        return 2 * x


def test_weights_of_entries_that_are_not_called(load: Load) -> None:
    """C# that reads ``layers[i].weight`` reads the new entry's, also what is written to it later."""
    net = load("WeightsRead")
    new = nn.Linear(2, 2, bias=False)
    old = net.layers[0].weight
    net.layers[0] = new
    net.layers.append(nn.Linear(2, 3, bias=False))
    weights = [layer.weight for layer in net.layers]
    assert all(weight is not old for weight in weights)
    assert torch.equal(net(X), X @ weights[0].t() @ weights[1].t() @ weights[2].t())
    new.weight = nn.Parameter(torch.eye(2))
    assert torch.equal(net(X), X @ weights[1].t() @ weights[2].t())


def test_a_wrapped_built_in_has_what_its_wrapper_has(load: Load) -> None:
    """C# that reads a weight gets what an attribute access in Python gives: what the wrapper passes on, or its AttributeError."""

    class Wrapper(nn.Module):
        def __init__(self, inner: nn.Module) -> None:
            super().__init__()
            self.inner = inner

    class Passing(Wrapper):
        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.inner, name) * 2

    net = load("Peeking")
    weight = net.step.inner.weight.detach().clone()
    net.step.inner = Passing(net.step.inner)
    assert torch.equal(net(X), X.matmul(2 * weight.t()))
    net.step.inner = Wrapper(net.step.inner.inner)
    with pytest.raises(AttributeError, match=r"C# reads 'step\.inner\.weight', .* Wrapper, which has no 'weight'"):
        net(X)


def test_a_parametrized_weight_that_is_only_read(load: Load) -> None:
    """C# that reads it gets it computed, anew in each call, and hands gradients on."""
    net = load("WeightsRead")
    first, second = (layer.weight.detach().clone() for layer in net.layers)
    log: list[str] = []
    parametrize.register_parametrization(net.layers[1], "weight", Doubling())
    net.layers[1].parametrizations.weight[0].register_forward_hook(lambda *_: log.append("computed"))
    for factor in (2, 6):
        log.clear()
        assert torch.equal(net(X), X.matmul(first.t()).matmul(factor * second.t()))
        assert log == ["computed"]
        with torch.no_grad():
            net.layers[1].parametrizations.weight.original.mul_(3)
    net(X).sum().backward()
    assert net.layers[1].parametrizations.weight.original.grad is not None


def test_children_in_each_others_places(load: Load) -> None:
    """A field's module in a collection, and the collection's in the field: C# calls either where it hangs now."""
    net = load("Gated")
    field, entry = net.fc, net.seq[0]
    net.fc, net.seq[0] = entry, field

    def expected() -> torch.Tensor:
        x = net.step(net.fc(net.gate(X)) * net.scale)
        x = net.seq[1](net.seq[0](net.h[1](net.h[0](x))))
        return x.matmul(net.fc.weight) + x.matmul(net.h[1].weight)

    assert (net.fc, net.seq[0]) == (entry, field)
    assert torch.equal(net(X), expected())
    net.fc = nn.Linear(2, 2)
    assert torch.equal(net(X), expected())
    net.fc, net.seq[0] = field, entry
    assert torch.equal(net(X), expected())


@pytest.mark.parametrize("kept", [True, False])
def test_a_weight_of_a_deleted_child(load: Load, kept: bool) -> None:
    """C# that reads it gets PyTorch's AttributeError, also while Python has the child elsewhere; set again, it is read again."""
    net = load("Peeking")
    result = net(X)
    child = net.step.inner if kept else None
    del net.step.inner
    for _ in range(2):
        with pytest.raises(AttributeError, match=r"'step\.inner' was deleted in Python"):
            net(X)
    if child is not None:
        net.step.inner = child
        assert torch.equal(net(X), result)


def test_a_child_of_a_child_that_was_replaced(load: Load) -> None:
    net = load("Peeking")
    net.step = nn.ModuleDict({"inner": nn.Linear(2, 2)})
    gc.collect()
    assert torch.equal(net(X), X @ net.step["inner"].weight.t())
    net.step = nn.Identity()
    with pytest.raises(AttributeError, match=r"'step\.inner' was deleted in Python"):
        net(X)


@pytest.mark.parametrize("calls", [False, True])
def test_a_tied_table_that_is_resized(load: Load, calls: bool) -> None:
    """Both places have the new one; where Python unties them, each has its own."""
    net, x = load("TiedTable", calls), torch.tensor([0, 1])
    assert net(x).shape == (2, 4)
    net.table = nn.Embedding(6, 3)
    net.head = nn.Linear(3, 6, bias=False)
    net.head.weight = net.table.weight
    gc.collect()
    assert torch.equal(net(torch.tensor([5])), net.table.weight[5:] @ net.table.weight.t())
    table, head = net.table, nn.Linear(3, 5, bias=False)
    net.head = head
    x = torch.tensor([3])
    assert torch.equal(net(x), table(x) @ (head if calls else table).weight.t())
    sums = [float(part) for part in net.Sums.split()]
    assert sums == pytest.approx([table.weight.sum().item(), head.weight.sum().item()], abs=1e-5)
    copied = copy.deepcopy(net)
    copied.table.weight = nn.Parameter(torch.ones(6, 3))
    assert torch.equal(net(x), table(x) @ (head if calls else table).weight.t())
