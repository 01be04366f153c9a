"""C# hooks stand in the mirror's dictionaries, among Python's (one list)."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from typing import Any

import pytest
import torch

import bridge
from bridge.mirror.loading import runtime

Load = Callable[..., bridge.Mirror]
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
    twin = copy.deepcopy(model)
    with torch.no_grad():
        twin.child.weight.zero_()
        twin.child.bias.fill_(1)
    assert torch.equal(twin(X), torch.full((1, 2), 10.0))  # (1 + 1) * 2 + 6
    assert not torch.equal(model(X), twin(X))


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


def test_a_dropped_hook_leaves_nothing_in_dotnet(load: Load) -> None:
    import ctypes

    exports = runtime().exports

    def live() -> int:
        gc.collect()
        counts = (ctypes.c_int64 * 3)()
        exports.live(counts)
        return counts[2]

    before = live()
    model = load("Hooked", "constructor")
    assert live() == before + 4
    model.child._forward_hooks.clear()
    assert live() == before + 2
    del model
    assert live() == before


def test_an_exception_in_a_csharp_hook(load: Load) -> None:
    """A replacement of another type is C#'s own complaint (F-2), and it names the module."""
    model = load("Hooked", "constructor")
    model.child.register_forward_hook(lambda module, args, result: 3, prepend=True)
    with pytest.raises(bridge.DotNetError, match="Int64 was given where C# declares Tensor") as caught:
        model(X)
    assert caught.value.module_path == "child"
