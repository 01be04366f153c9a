"""C# hooks are in the mirror's dictionaries, among Python's (one list)."""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch

import bridge
from bridge.mirror.loading import dotnet_runtime

Load = Callable[..., bridge.Mirror]
Counts = Callable[[], dict[str, int]]
X = torch.ones(1, 2)


def _linear(module: Any, x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.linear(x, module.weight, module.bias)


def test_hooks_registered_before_mirroring_move_over(load: Load) -> None:
    """In their order, prepended ones in front; Python's later ones follow."""
    model = load("Hooked", "constructor")
    assert len(model.child._forward_hooks) == 2
    assert len(model.child._forward_pre_hooks) == 1
    expected = (_linear(model.child, X * 10) + 1) * 2 + 6
    assert torch.equal(model(X), expected)
    model.child.register_forward_hook(lambda module, args, result: result * 0)
    assert torch.equal(model(X), torch.full((1, 2), 6.0))
    # A C# hook is an entry like any other: Python can take it out.
    model.child._forward_hooks.popitem(last=True)
    model.child._forward_hooks.popitem(last=True)
    assert torch.equal(model(X), _linear(model.child, X * 10) + 1 + 6)


@pytest.mark.parametrize("ancestor", [False, True])
def test_forward_registers_on_itself(load: Load, ancestor: bool) -> None:
    """C-5: bare at its entry, the hook waits for the next call; hooked, it fires in this one."""
    model = load("Hooked", "self")
    if ancestor:
        model.register_forward_pre_hook(lambda *_: None)
    plain = _linear(model.child, X)
    assert torch.equal(model(X), plain + 100 if ancestor else plain)
    assert torch.equal(model(X), plain + 100)
    assert len(model._forward_hooks) == 1


def test_forward_registers_on_its_child(load: Load) -> None:
    model = load("Hooked", "child")
    plain = _linear(model.child, X)
    assert torch.equal(model(X), plain + 100)
    assert torch.equal(model(X), plain + 100)


def test_csharps_handle_removes_from_the_same_list(load: Load) -> None:
    """H-3: removing twice does nothing; what another removed already does not matter."""
    model = load("Hooked", "remove")
    plain = _linear(model.child, X)
    for _ in range(3):
        assert torch.equal(model(X), plain + 100)
        assert len(model.child._forward_hooks) == 1
    model.child._forward_hooks.clear()
    assert torch.equal(model(X), plain + 100)


def test_a_hook_of_a_copied_module_sees_the_copy(load: Load) -> None:
    """I-1: the C# hook reads the parameters of the module that it is called for."""
    model = load("Hooked", "constructor")
    counterpart = copy.deepcopy(model)
    with torch.no_grad():
        counterpart.child.weight.zero_()
        counterpart.child.bias.fill_(1)
    assert torch.equal(counterpart(X), torch.full((1, 2), 10.0))  # (1 + 1) * 2 + 6
    assert not torch.equal(model(X), counterpart(X))


@pytest.mark.parametrize("alone", [False, True])
def test_a_hook_of_a_copied_built_in_sees_the_copy(load: Load, alone: bool) -> None:
    """I-1: PyTorch copies a built-in by itself, without C#; the hook gets a Linear of C#'s with the copy's tensors.

    When the original is gone, too.
    """
    model = load("Hooked", "weights")
    model(X)
    part = copy.deepcopy(model.child)
    assert type(part) is torch.nn.Linear
    if alone:
        del model
        gc.collect()
    with torch.no_grad():
        part.bias.fill_(1)
        for value in (0.0, 1.0):
            part.weight.fill_(value)
            assert torch.equal(part(X), torch.full((1, 2), 1 + 2 * value + 4 * value))
    part.weight = torch.nn.Parameter(torch.full((2, 2), 2.0))
    assert torch.equal(part(X), torch.full((1, 2), 1.0 + 4 + 8))
    reference = weakref.ref(part)
    del part
    gc.collect()
    assert reference() is None


def test_a_pre_hook_replaces_by_object_not_by_value(load: Load) -> None:
    """P-2: another tensor is another tensor, even with equal elements, and none is compared (nor could be, on meta)."""
    model = load("Clones")
    assert model(X) is not X
    assert load("Clones").to("meta")(X.to("meta")).device.type == "meta"


def test_removal_after_the_mirror_is_gone_does_nothing(load: Load) -> None:
    """H-3"""
    model = load("Leaver")
    model(X)
    del model
    gc.collect()
    keeper = load("Leaver")
    assert torch.equal(keeper(X), X)  # removes the handle that the other one left


def test_a_dropped_hook_leaves_nothing_in_dotnet(load: Load, live_counts: Counts) -> None:
    exports = dotnet_runtime().exports

    def live() -> int:
        gc.collect()
        return exports.live_counts()["hooks"]  # type: ignore[no-any-return]

    before = live_counts()["hooks"]
    model = load("Hooked", "constructor")
    assert live() == before + 4
    model.child._forward_hooks.clear()
    assert live() == before + 2
    del model
    assert live() == before


@pytest.mark.parametrize("hook", ["none", "plain", "pre", "forward"])
def test_arguments_by_name(load: Load, hook: str) -> None:
    """P-1: a C# hook has every argument at its place, however it was given, and C#'s defaults; what it replaces takes effect."""
    model = load("Named", hook)
    y = X * 100

    def expected(x: torch.Tensor, times: float, plus: torch.Tensor) -> torch.Tensor:
        if hook == "forward":
            return x + times + plus
        return (x + 1) * times * 2 + plus if hook == "pre" else x * times + plus

    assert torch.equal(model(X), expected(X, 3, X * 0))
    assert torch.equal(model(input=X), expected(X, 3, X * 0))
    assert torch.equal(model(X, plus=y), expected(X, 3, y))
    assert torch.equal(model(plus=y, times=5.0, input=X), expected(X, 5, y))
    assert torch.equal(copy.deepcopy(model)(plus=y, input=X), expected(X, 3, y))
    with pytest.raises(
        TypeError,
        match=r"double times = 3, Tensor\? plus = null\) was given .*: no parameter is named 'other'",
    ):
        model(X, other=1)
    with pytest.raises(TypeError, match=r"was given \(times=float\): no value for 'input'"):
        model(times=1.0)


def test_a_python_hook_beside_it_sees_what_pytorch_gives(load: Load) -> None:
    """P-1: positional arguments and, where it asks for them, keywords; after a C# hook that replaced them all are positional."""
    model = load("Named", "pre")
    seen: list[Any] = []
    model.register_forward_pre_hook(lambda *given: seen.append(given[1:]), with_kwargs=True, prepend=True)
    model.register_forward_pre_hook(lambda *given: seen.append(given[1:]), with_kwargs=True)
    model.register_forward_pre_hook(lambda *given: seen.append(given[1:]), prepend=True)
    model(X, times=2.0)
    first, second, third = seen
    assert first == ((X,),)
    assert second == ((X,), {"times": 2.0})
    assert torch.equal(third[0][0], X + 1)
    assert third[0][1:] == (4.0,)
    assert third[1] == {}


def test_an_exception_in_a_csharp_hook(load: Load) -> None:
    """A replacement of another type is C#'s own complaint (F-2), and it names the module."""
    model = load("Hooked", "constructor")
    model.child.register_forward_hook(lambda module, args, result: 3, prepend=True)
    with pytest.raises(bridge.DotNetError, match="long was given where C# declares Tensor") as caught:
        model(X)
    assert caught.value.module_path == "child"
