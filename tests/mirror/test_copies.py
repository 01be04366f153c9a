"""I-1, I-2 for models that were fine-tuned: children replaced by Python's, parametrized weights; nobody's random numbers are used up."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.utils import parametrizations, spectral_norm

Pairs = Callable[[], tuple[torch.nn.Module, torch.nn.Module]]
X = torch.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_a_copy_uses_up_no_random_numbers(pairs: Pairs, way: Callable[[Any], Any]) -> None:
    """Though the C# constructor runs again and draws first weights."""
    _, mirror = pairs()
    torch.manual_seed(3)
    before = torch.get_rng_state()
    way(mirror)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.cuda
def test_a_copy_uses_up_no_random_numbers_of_cuda(pairs: Pairs) -> None:
    _, mirror = pairs()
    mirror.cuda()
    before = torch.cuda.get_rng_state_all()
    copied = copy.deepcopy(mirror)
    assert all(map(torch.equal, torch.cuda.get_rng_state_all(), before))
    assert torch.equal(copied(X.cuda()), mirror(X.cuda()))


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_a_model_with_a_child_of_pythons(pairs: Pairs, way: Callable[[Any], Any]) -> None:
    """``model.second = nn.Linear(…)``, as fine-tuning does it: I-1, I-2."""
    for model in pairs():
        model.second = torch.nn.Linear(3, 3)
        copied = way(model)
        assert type(copied.second) is torch.nn.Linear
        assert (copied.second is model.second) == (way is copy.copy)
        expected = model(X)
        assert torch.equal(copied(X), expected)
        with torch.no_grad():
            copied.second.weight.zero_()
        assert torch.equal(model(X), expected) == (way is copy.deepcopy)
        again = copy.deepcopy(copied)
        assert torch.equal(again(X), copied(X))


@pytest.mark.parametrize(
    "norm",
    [parametrizations.weight_norm, parametrizations.spectral_norm, parametrizations.orthogonal, spectral_norm],
    ids=["weight_norm", "spectral_norm", "orthogonal", "old spectral_norm"],
)
def test_a_parametrized_model(pairs: Pairs, norm: Callable[[torch.nn.Module], torch.nn.Module]) -> None:
    """I-1: the copy is parametrized, by parameters of its own, and trains."""
    for model in pairs():
        norm(model.first)
        model.eval()
        copied = copy.deepcopy(model)
        assert type(copied.first) is type(model.first)
        assert list(copied.state_dict()) == list(model.state_dict())
        before = model(X)
        assert torch.equal(copied(X), before)
        copied(X).sum().backward()
        assert all(parameter.grad is not None for parameter in copied.parameters())
        assert all(parameter.grad is None for parameter in model.parameters())
        with torch.no_grad():
            for parameter in copied.parameters():
                parameter.mul_(0.5)
        assert torch.equal(model(X), before)
        assert not torch.equal(copied(X), before)


def test_a_copy_of_a_model_with_a_static_module_shares_it(load: Callable[..., Any]) -> None:
    """There is one in .NET, whatever is copied."""
    model = load("OneForAll")
    copied = copy.deepcopy(model)
    assert copied.encoder is model.encoder
    assert copied.own is not model.own
    x = torch.ones(1, 2)
    assert torch.equal(copied(x), model(x))
