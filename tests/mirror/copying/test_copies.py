"""I-1, I-2: what a copy of a mirror has, in Python and in the fields of its C# modules, and of models that were fine-tuned."""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.utils import parametrizations, spectral_norm

import bridge
from bridge.mirror import linked

Pairs = Callable[[], tuple[torch.nn.Module, torch.nn.Module]]
X = torch.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_no_constructor_runs_for_a_copy(load: Callable[..., Any], way: Callable[[Any], Any]) -> None:
    """I-1: the copy has the current fields, and continues counting by itself."""
    model, count = load("Costly"), load("Costly.Count")
    made = count(X)
    y = model(X)
    copied = way(model)
    assert count(X) == made
    assert torch.allclose(copied(X), y + 1)
    assert torch.allclose(copied(X), y + 2)
    assert torch.allclose(model(X), y + 1)
    load("Costly")
    assert count(X) == made + 1


def test_a_shallow_copy_shares_the_csharp_children(load: Callable[..., Any]) -> None:
    """I-2: what they count is counted once; the copy's own fields are its own."""
    model = load("Around")
    y = model(X)
    copied = copy.copy(model)
    assert copied.child is model.child
    assert torch.allclose(copied(X), y + 101, atol=1e-4)
    assert torch.allclose(model(X), y + 102, atol=1e-4)
    del model
    assert torch.allclose(copied(X), y + 203, atol=1e-4)


def test_a_shallow_copy_shares_the_dictionaries(pairs: Pairs) -> None:
    """I-2: a child, parameter or buffer that one gets is the other's, also for C#, and whichever of them lives."""
    for model in pairs():
        copied = copy.copy(copy.copy(model))
        for name in ("_modules", "_parameters", "_buffers", "_forward_hooks"):
            assert getattr(copied, name) is getattr(model, name)
        copied.first = torch.nn.Identity()
        copied.register_buffer("mean", torch.ones(3))
        assert model.first is copied.first
        assert model.mean is copied.mean
        assert torch.equal(model(X), model.second(X))
        assert torch.equal(copied(X), model(X))
        second = copied.second
        del model
        assert torch.equal(copied(X), second(X))
        copied.second = torch.nn.Identity()
        assert torch.equal(copied(X), X)


def test_shallow_copies_go_before_what_they_share(load: Callable[..., Any]) -> None:
    """H-2: the dictionaries, which live on, keep no copy's module."""
    model = load("Around")
    copies = [weakref.ref(linked(copy.copy(model))) for _ in range(3)]
    assert [reference() for reference in copies] == [None] * 3
    model(X)


def test_the_children_of_a_dropped_copy_go_with_it(load: Callable[..., Any]) -> None:
    """H-2: at once, though .NET was given the dictionaries of the copy twice."""
    copied = copy.deepcopy(load("Around"))
    copied(X)
    child = weakref.ref(copied.child)
    gc.disable()
    try:
        del copied
        assert child() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("times", [1, 2])
def test_a_copy_has_what_the_fields_have(load: Callable[..., Any], times: int) -> None:
    """I-1: collections, closures, lazy values, generators, chains, tensors: its own, and as they were; a thread is shared."""
    model = load("Furnished")
    x = torch.ones(1, 2)
    model(x)
    copied = model
    for _ in range(times):
        copied = copy.deepcopy(copied)
    expected, once_more = model(x), copied(x)
    assert {name: value.tolist() for name, value in once_more.items()} == {
        name: value.tolist() for name, value in expected.items()
    }
    assert all(expected[name] for name in ("same weight", "self", "sorted", "grid"))
    assert (expected["note"], expected["closure note"], expected["seen"]) == (21, 42, 2)
    assert (expected["bag"], expected["text"], expected["plain"][0]) == (3, 4, 4)
    with torch.no_grad():
        copied.layer.weight.zero_()
    assert copied(x)["closure"] == 62
    assert model(x)["closure"] != 62


def test_a_copy_of_a_part_that_refers_to_the_rest(load: Callable[..., Any]) -> None:
    """I-1: as in Python, what the part refers to is copied with it, and is the copy's alone."""
    model = load("Upward")
    part = copy.deepcopy(model.child)
    y = model(X)
    assert torch.equal(part(X), y)
    with torch.no_grad():
        model.layer.weight.zero_()
    assert torch.equal(part(X), y)
    copied = copy.deepcopy(model)
    with torch.no_grad():
        model.layer.weight.fill_(1)
    assert torch.equal(copied(X), X * 0)


def test_what_cleans_up_after_itself_is_not_copied(load: Callable[..., Any]) -> None:
    """A finalizer would run twice: an object is shared, a module refused by name."""
    model = load("Owning")
    copied = copy.deepcopy(model)
    assert torch.equal(copied(X), X + 1)
    assert torch.equal(model(X), X + 2)
    with pytest.raises(bridge.DotNetError, match=r"Models\.Finalized has a finalizer"):
        copy.deepcopy(load("Finalized"))


@pytest.mark.parametrize("remove", [False, True])
def test_a_csharp_hook_of_a_module_that_python_does_not_know(load: Callable[..., Any], remove: bool) -> None:
    """I-1: the copy has it, and its handle removes its own."""
    model = load("HookedWithin", remove)
    copied = copy.deepcopy(model)
    after = X if remove else X + 10
    for module in (copied, model):
        assert torch.equal(module(X), X + 10)
        assert torch.equal(module(X), after)


def test_a_child_that_is_replaced_while_a_copy_is_made_lives_until_then(pairs: Pairs) -> None:
    """I-1: deepcopy knows objects by their ids, and another one with its id would become a copy of it."""
    kept = []

    class Between:
        def __init__(self, model: torch.nn.Module) -> None:
            self.model = model

        def __deepcopy__(self, memo: dict[int, Any]) -> None:
            old = weakref.ref(self.model.first)
            self.model.first = torch.nn.Identity()
            kept.append(old() is not None)

    for model in pairs():
        copied, _ = copy.deepcopy([model, Between(model)])
        assert type(copied.first) is torch.nn.Linear
    assert kept == [True, True]


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_a_copy_uses_up_no_random_numbers(pairs: Pairs, way: Callable[[Any], Any]) -> None:
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
