"""Mirror.__call__: which calls of a mirror are C#'s from the start, and which are PyTorch's dispatcher's."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
import torch
from torch.nn.modules import module as module_globals
from torch.utils._python_dispatch import TorchDispatchMode

import bridge
from bridge.clr.start import capi
from bridge.mirror import linked

Load = Callable[..., bridge.Mirror]
X = torch.arange(6.0).reshape(2, 3)


@pytest.fixture
def dispatched() -> Iterator[list[torch.nn.Module]]:
    """Yield the modules whose calls PyTorch's dispatcher made, in order."""
    calls: list[torch.nn.Module] = []
    code = torch.nn.Module._call_impl.__code__

    def entered(frame: FrameType, event: str, _: Any) -> None:
        # A profile function, since a replacement of _call_impl would get all calls.
        if event == "call" and frame.f_code is code:
            calls.append(frame.f_locals["self"])

    before = sys.getprofile()
    sys.setprofile(entered)
    yield calls
    sys.setprofile(before)


def test_a_call_that_nobody_hears_is_csharps(load: Load, dispatched: list[torch.nn.Module]) -> None:
    """C-5: a hook makes the next call PyTorch's, its removal the one after that C#'s again. A lone forward hook leaves it C#'s."""
    model = load("Pair")
    expected = model(X)
    assert dispatched == []
    for register in (
        lambda: model.register_forward_pre_hook(lambda *_: None),
        lambda: model.register_forward_hook(lambda *_: None, always_call=True),
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
    fired: list[torch.nn.Module] = []
    model.register_forward_hook(lambda module, *_: fired.append(module))
    assert torch.equal(model(X), expected)
    assert (fired, dispatched) == ([model], [])


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


STEPS: dict[str, tuple[type, str]] = {
    "the first step": (torch.nn.Module, "__call__"),
    "the dispatcher": (torch.nn.Module, "_call_impl"),
    "a function of tensors": (torch.Tensor, "add"),
}


@pytest.mark.parametrize("known", [True, False], ids=["versions", "without versions"])
@pytest.mark.parametrize("step", STEPS)
def test_a_step_of_a_call_that_a_tool_replaced_is_run(
    load: Load, dispatched: list[torch.nn.Module], step: str, known: bool
) -> None:
    """C-6: a method of PyTorch's class or of the mirror's class is replaced; restored, C# makes the calls again.

    The same holds if CPython hides the versions of its classes.
    """
    model = load("Pair")
    exports = linked(model).runtime.exports
    if not known:
        exports.set({"class_version_offset": 0})
    try:
        expected = model(X)
        owner, name = STEPS[step]
        original = getattr(owner, name)
        for place in (owner, *([type(model)] if isinstance(model, owner) else [])):
            seen: list[object] = []

            def replaced(self: Any, *args: Any, seen: list[object] = seen, **kwargs: Any) -> Any:
                seen.append(self)
                return original(self, *args, **kwargs)

            dispatched.clear()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(place, name, replaced)
                assert torch.equal(model(X), expected)
            if owner is torch.nn.Module:
                assert seen[0] is model
            assert dispatched[0] is model
            if place is not torch.Tensor:  # which keeps an 'add' of its own once one was put back
                dispatched.clear()
                assert torch.equal(model(X), expected)
                assert dispatched == []
    finally:
        if "add" in vars(torch.Tensor):
            del torch.Tensor.add
        exports.set({"class_version_offset": capi.class_version_offset()})


def test_a_step_of_a_call_that_the_object_has_itself_is_run(load: Load, dispatched: list[torch.nn.Module]) -> None:
    """C-6, also where the object got it after a call of C#'s."""
    model = load("Pair")
    expected = model(X)
    seen: list[Any] = []
    original = model._call_impl
    # The second is what ``Module.compile`` leaves.
    for name in ("_call_impl", "_compiled_call_impl"):
        seen.clear()
        setattr(model, name, lambda *args: (seen.append(args), original(*args))[1])
        assert torch.equal(model(X), expected)
        assert len(seen) == 1
        delattr(model, name)
        dispatched.clear()
        assert torch.equal(model(X), expected)
        assert dispatched == []


class _Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@pytest.mark.usefixtures("mode_checks")
def test_a_call_that_is_followed_is_pytorchs(load: Load, dispatched: list[torch.nn.Module]) -> None:
    """C-6: by a dispatch mode, and by torch.jit.trace, whether this torch shows them to C# or hides them."""
    model = load("Pair")
    expected = model(X)
    assert dispatched == []
    with _Mode():
        assert torch.equal(model(X), expected)
    assert dispatched[0] is model
    dispatched.clear()
    torch.jit.trace(model, (X,), check_trace=False)
    assert dispatched[0] is model
    dispatched.clear()
    assert torch.equal(model(X), expected)
    assert dispatched == []


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
        assert torch.equal(models[-1](X), link.runtime.exports.forward(link.id, X))


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
