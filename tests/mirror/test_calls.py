"""Mirror._call_impl: which calls of a mirror are C#'s from the start, and which are PyTorch's dispatcher's."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.modules import module as module_globals

import bridge
from bridge.mirror import linked

Load = Callable[..., bridge.Mirror]
X = torch.arange(6.0).reshape(2, 3)


@pytest.fixture
def dispatched(monkeypatch: pytest.MonkeyPatch) -> list[torch.nn.Module]:
    """The modules whose calls PyTorch's dispatcher made, in order."""
    calls: list[torch.nn.Module] = []
    original = torch.nn.Module._call_impl

    def call(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        calls.append(self)
        return original(self, *args, **kwargs)

    monkeypatch.setattr(torch.nn.Module, "_call_impl", call)
    return calls


def test_a_call_that_nobody_hears_is_csharps(load: Load, dispatched: list[torch.nn.Module]) -> None:
    """C-5: a hook of any kind makes the next call PyTorch's, its removal the one after that C#'s again."""
    model = load("Pair")
    expected = model(X)
    assert dispatched == []
    for register in (
        lambda: model.register_forward_pre_hook(lambda *_: None),
        lambda: model.register_forward_hook(lambda *_: None),
        lambda: model.register_full_backward_pre_hook(lambda *_: None),
        lambda: model.register_full_backward_hook(lambda *_: None),
        lambda: module_globals.register_module_forward_hook(lambda *_: None),
        lambda: module_globals.register_module_full_backward_hook(lambda *_: None),
    ):
        handle = register()
        assert torch.equal(model(X), expected)
        assert model in dispatched
        handle.remove()
        dispatched.clear()
        assert torch.equal(model(X), expected)
        assert dispatched == []


def test_what_python_computes_in_a_models_place_is_pytorchs(load: Load, dispatched: list[torch.nn.Module]) -> None:
    """C-2: a forward of the object, of a class made of the mirror's, and one that was put into its class."""
    model = load("Pair")
    own = type(model)
    model.forward = lambda x: x + 1  # type: ignore[method-assign]  # what a tool does
    assert torch.equal(model(X), X + 1)
    del model.forward
    model.__class__ = type("Doubled", (own,), {"forward": lambda self, x: own.forward(self, x) * 2})
    twice = model(X)
    model.__class__ = own
    assert dispatched == [model, model]
    assert torch.equal(model(X) * 2, twice)
    assert len(dispatched) == 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own, "forward", lambda self, x: x - 1)
        assert torch.equal(model(X), X - 1)
    assert torch.equal(model(X) * 2, twice)
    assert len(dispatched) == 3


def test_models_by_turns_and_after_one_another_are_told_apart(load: Load) -> None:
    """C# finds a mirror by its address, which the next model may have when it is gone."""
    models = [load("Pair") for _ in range(300)]
    expected = [model(X) for model in models]
    found = [model(X) for model in models for _ in range(2)][::2]
    assert all(map(torch.equal, found, expected))
    for _ in range(50):
        models.pop()
        gc.collect()
        models.append(load("Pair"))
        link = linked(models[-1])
        assert torch.equal(models[-1](X), link.host.exports.forward(link.id, X))


def test_a_parameter_that_is_swapped_between_calls_is_read_anew(load: Load) -> None:
    """No handle to a parameter is kept between calls: PyTorch swaps only tensors that nobody else refers to."""
    model = load("Pair")
    model(X)
    other = torch.nn.Parameter(model.first.weight.detach() * 2)
    torch.utils.swap_tensors(model.first.weight, other)
    model(X).sum().backward()
    assert model.first.weight.grad is not None
    torch.utils.swap_tensors(model.first.bias, torch.nn.Parameter(torch.zeros_like(model.first.bias)))
    expected = torch.nn.functional.linear(X, model.first.weight)
    seen: list[torch.Tensor] = []
    with model.first.register_forward_hook(lambda module, args, result: seen.append(result)):
        model(X)
    assert torch.equal(seen[0], expected)
