"""Replicas as ``DataParallel`` makes them, here on one device: each computes with its own tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import bridge

Pairs = Callable[[], tuple[torch.nn.Module, torch.nn.Module]]
Load = Callable[..., bridge.Mirror]
X = torch.ones(2, 3)


def replicated(network: torch.nn.Module, factors: list[float]) -> list[Any]:
    """Copy a module as ``torch.nn.parallel.replicate`` does, with parameters multiplied by the factors instead of broadcast."""
    modules = list(network.modules())
    copies = [[module._replicate_for_data_parallel() for module in modules] for _ in factors]
    for factor, replicas in zip(factors, copies, strict=True):
        scaled = {id(tensor): tensor * factor for tensor in (*network.parameters(), *network.buffers())}
        for module, replica in zip(modules, replicas, strict=True):
            replica._former_parameters = {}
            for name, child in module._modules.items():
                setattr(replica, name, replicas[modules.index(child)] if child is not None else None)
            for name, tensor in (*module._parameters.items(), *module._buffers.items()):
                setattr(replica, name, scaled[id(tensor)] if tensor is not None else None)
    return [replicas[0] for replicas in copies]


def test_each_computes_with_its_own_weights(pairs: Pairs) -> None:
    counterpart, mirror = pairs()
    x = torch.randn(2, 3)
    expected = [replica(x) for replica in replicated(counterpart, [1, 2, -1])]
    replicas = replicated(mirror, [1, 2, -1])
    for replica, y in zip(replicas, expected, strict=True):
        for _ in range(2):
            torch.testing.assert_close(replica(x), y)
        assert type(replica) is type(mirror)
    torch.testing.assert_close(mirror(x), counterpart(x))
    # Gradients of all replicas arrive at the model's own parameters.
    for model, results in ((counterpart, expected), (mirror, [replica(x) for replica in replicas])):
        model.zero_grad()
        sum(result.sum() for result in results).backward()
    for parameter, other in zip(counterpart.parameters(), mirror.parameters(), strict=True):
        torch.testing.assert_close(parameter.grad, other.grad)


def test_hooks_replaced_children_and_python_parents(pairs: Pairs) -> None:
    """Hooks are the model's, and see the replica; a replaced child is replicated as any Python module."""
    counterpart, mirror = pairs()
    for model in (counterpart, mirror):
        model.second = torch.nn.Linear(3, 2)
    mirror.load_state_dict(counterpart.state_dict())
    seen: list[torch.nn.Module] = []
    mirror.get_submodule("first").register_forward_hook(lambda module, *_: seen.append(module))
    expected = [replica(X) for replica in replicated(torch.nn.Sequential(counterpart), [1, 3])]
    replicas = replicated(torch.nn.Sequential(mirror), [1, 3])
    for replica, y in zip(replicas, expected, strict=True):
        torch.testing.assert_close(replica(X), y)
    assert seen == [replica[0].first for replica in replicas]


def test_buffers(load: Load) -> None:
    model = load("Normed").eval()
    first, second = replicated(model, [1, 4])
    assert torch.equal(first(torch.ones(2, 2)), model(torch.ones(2, 2)))
    assert torch.equal(second.norm.running_var, model.get_buffer("norm.running_var") * 4)
    assert not torch.equal(second(torch.ones(2, 2)), model(torch.ones(2, 2)))
