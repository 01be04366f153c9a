"""Hooks/PythonHook.cs: a module's only hook, a Python forward hook without options, which C# calls in place of PyTorch."""

from __future__ import annotations

import gc
import itertools
import sys
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import bridge
from tests.mirror.chained import Chained

pytestmark = pytest.mark.dotnet
Load = Callable[..., bridge.Mirror]
X = torch.linspace(-2, 2, 8).reshape(2, 4)
#: The model, its Sequential, and two of the layers that C# runs one after another.
PLACES = ("", "layers", "layers.0", "layers.3")
places = pytest.mark.parametrize("place", PLACES, ids=lambda place: place or "root")


@pytest.fixture
def pair(load: Load) -> tuple[Any, Any]:
    """Return the counterpart in PyTorch and the C# model, with equal weights, after a call."""
    model, counterpart = load("Chained"), Chained()
    counterpart.load_state_dict(model.state_dict())
    model(X)
    return counterpart, model


def _dispatchers() -> int:
    """Return how many calls of PyTorch's dispatcher are on the stack."""
    frame, found = sys._getframe(1), 0
    while frame is not None:
        found += frame.f_code.co_name == "_call_impl"
        frame = frame.f_back  # type: ignore[assignment]  # None ends the loop
    return found


@places
def test_the_hook_gets_what_pytorch_gives(pair: tuple[Any, Any], place: str) -> None:
    """C-6, F-1: module, tuple and result, without PyTorch's dispatcher."""
    seen: list[list[torch.Tensor]] = []
    for net in pair:
        values: list[torch.Tensor] = []
        module = net.get_submodule(place)

        def hook(called: nn.Module, args: Any, result: Any, module: Any = module, values: Any = values) -> None:
            assert called is module
            assert type(args) is tuple
            values.extend((*args, result))

        module.register_forward_hook(hook)
        values.append(net(X))
        seen.append(values)
    assert len(seen[0]) == 3
    assert all(map(torch.equal, *seen))
    assert [value.grad_fn is None for value in seen[0]] == [value.grad_fn is None for value in seen[1]]
    depths: list[int] = []
    pair[1].get_submodule(place).register_forward_hook(
        lambda *_: depths.append(_dispatchers())
    )  # two hooks are PyTorch's
    pair[1](X)
    pair[1](X)
    pair[1].get_submodule(place)._forward_hooks.popitem(last=False)
    pair[1](X)
    assert [depth > 0 for depth in depths[1:]] == [True, False]


def test_modules_in_a_row_show_one_object(pair: tuple[Any, Any]) -> None:
    """F-1: what one layer's hook saw as the result is the next one's argument, with the attributes that it was given."""
    for net in pair:
        seen: list[tuple[Any, Any]] = []

        def hook(module: nn.Module, args: Any, result: Any, seen: Any = seen) -> None:
            result.mark = len(seen)
            seen.append((args[0], result))

        for layer in net.layers:
            layer.register_forward_hook(hook)
        net(X)
        assert len(seen) == 8
        assert all(first[1] is second[0] for first, second in itertools.pairwise(seen))
        assert [result.mark for _, result in seen] == list(range(8))


def _raises(error: BaseException) -> Any:
    def hook(*_: Any) -> None:
        raise error

    return hook


def _registers_always(log: list[Any]) -> Any:
    def hook(module: nn.Module, *_: Any) -> None:
        module.register_forward_hook(lambda *given: log.append(("always", given[2] is None)), always_call=True)
        raise ValueError("after registering")

    return hook


def _removes_itself(log: list[Any]) -> Any:
    def hook(module: nn.Module, *_: Any) -> None:
        log.append("removed")
        module._forward_hooks.clear()

    return hook


def _replaces_weight(log: list[Any]) -> Any:
    def hook(module: nn.Module, args: Any, result: torch.Tensor) -> None:
        for parameter in module.parameters():
            parameter.data = torch.full_like(parameter, 0.25)

    return hook


HOOKS: dict[str, Callable[[list[Any]], Any]] = {
    "a tensor": lambda log: lambda module, args, result: result * 2 + 1,
    "its result": lambda log: lambda module, args, result: result,
    "in place": lambda log: lambda module, args, result: (result.detach().mul_(2), None)[1],
    "no tensor": lambda log: lambda *_: 1.5,
    "an error": lambda log: _raises(ValueError("on purpose")),
    "an interrupt": lambda log: _raises(KeyboardInterrupt()),
    "an error with a hook that is always called": _registers_always,
    "itself away": _removes_itself,
    "another hook": lambda log: lambda module, *_: log.append(module.register_forward_hook(lambda *_: log.append("new")) and "old"),
    "other weights": _replaces_weight,
    "a call": lambda log: lambda module, args, result: log.append(float(module.forward(args[0]).detach().sum())),
}  # fmt: skip


@places
@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("grad", [True, False], ids=["grad", "no_grad"])
def test_what_the_hook_does_has_pytorchs_effect(pair: tuple[Any, Any], place: str, name: str, grad: bool) -> None:
    """F-1, F-2, A-3, A-4, D-2: in the same call and in the next one."""
    outcomes = []
    for net in pair:
        log: list[Any] = []
        net.get_submodule(place).register_forward_hook(HOOKS[name](log))
        results = []
        for _ in range(2):
            with torch.set_grad_enabled(grad):
                try:
                    results.append(net(X))
                except (ValueError, TypeError, KeyboardInterrupt) as error:
                    results.append(error)
        outcomes.append((results, log))
    (expected, expected_log), (found, found_log) = outcomes
    assert len(found_log) == len(expected_log)
    assert [entry if isinstance(entry, float) else str(entry) for entry in found_log] == [
        pytest.approx(entry) if isinstance(entry, float) else str(entry) for entry in expected_log
    ]
    for first, second in zip(expected, found, strict=True):
        if isinstance(first, torch.Tensor):
            assert torch.equal(first, second)
            assert first.requires_grad is second.requires_grad
        elif isinstance(first, float) and not place:
            assert first == second
        else:  # a number from a child is an error in C#, whose types are fixed (F-2)
            assert isinstance(second, TypeError if isinstance(first, float) else type(first))
            assert name == "no tensor" or str(second) == str(first)


@places
@pytest.mark.parametrize("option", ["with_kwargs", "always_call", "pre", "second", "rebound", "class", "global"])
def test_other_hooks_are_pytorchs(
    pair: tuple[Any, Any], place: str, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C-6: options, other hooks, and methods that a tool has replaced need PyTorch's dispatcher."""
    model = pair[1]
    module = model.get_submodule(place)
    depths: list[int] = []
    calls: list[nn.Module] = []
    module.register_forward_hook(
        lambda *_: depths.append(_dispatchers()), **({option: True} if option in ("with_kwargs", "always_call") else {})
    )
    model(X)
    handle: Any = None
    if option == "pre":
        handle = module.register_forward_pre_hook(lambda *_: None)
    elif option == "second":
        handle = module.register_forward_hook(lambda *_: None)
    elif option == "global":
        handle = nn.modules.module.register_module_forward_hook(lambda *_: None)
    elif option == "rebound":
        module._forward_hooks = type("Own", (dict,), {})(module._forward_hooks)
    elif option == "class":
        call: Any = nn.Module.__call__

        def replaced(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
            calls.append(self)
            return call(self, *args, **kwargs)

        monkeypatch.setattr(nn.Module, "__call__", replaced)
    model(X)  # C# may have begun the call of the plan before, and has left its hooks to Python
    model(X)
    assert depths[-1] > 0
    assert option != "class" or module in calls
    if handle is not None:
        handle.remove()
        model(X)
        assert depths[-1] == 0
    if option in ("pre", "second", "global", "rebound", "class"):
        assert depths[0] == 0


@places
def test_a_removed_hook_is_freed(pair: tuple[Any, Any], place: str) -> None:
    """H-2."""

    class Hook:
        def __call__(self, *_: Any) -> None: ...

    hook = Hook()
    freed = weakref.ref(hook)
    handle = pair[1].get_submodule(place).register_forward_hook(hook)
    pair[1](X)
    handle.remove()
    del hook, handle
    assert freed() is None
    pair[1](X)


@places
def test_nothing_is_kept(pair: tuple[Any, Any], place: str, live_counts: Callable[[], dict[str, int]]) -> None:
    model = pair[1]
    model.get_submodule(place).register_forward_hook(lambda module, args, result: result.clone() if place else None)
    results = []

    def keeps(module: nn.Module, args: Any, result: torch.Tensor) -> None:
        results.append(weakref.ref(result))

    model.layers[5].register_forward_hook(keeps)
    model(X)
    gc.collect()
    before = live_counts()["tensors"]
    for _ in range(300):
        model(X)
    assert live_counts()["tensors"] <= before + 40
    assert sum(result() is not None for result in results) <= 1
