"""Backward and tensor hooks that C# registers are entries of PyTorch's own dictionaries."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest
import torch

import bridge

Load = Callable[..., bridge.Mirror]
Counts = Callable[[], dict[str, int]]


def _twin(model: bridge.Mirror) -> torch.nn.Linear:
    twin = torch.nn.Linear(2, 2)
    twin.load_state_dict(model.child.state_dict())
    return twin


def _register(child: torch.nn.Module) -> None:
    """Register the hooks of Models.Backward in Python."""
    child.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 2,))
    child.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 3,))
    child.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] + 1,), prepend=True)


def _gradients(module: torch.nn.Module, parameters: torch.nn.Module) -> list[torch.Tensor]:
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    module(x).sum().backward()
    weight = parameters.weight
    assert isinstance(weight, torch.nn.Parameter)
    assert x.grad is not None
    assert weight.grad is not None
    return [x.grad, weight.grad]


@pytest.mark.parametrize("how", ["constructor", "forward", "remove"])
def test_full_hooks_change_gradients_as_pythons_do(load: Load, how: str) -> None:
    """B-12, B-13, O-2: registered before or after the module is mirrored, prepended, removed and registered again."""
    model = load("Backward", how)
    twin = _twin(model)
    _register(twin)
    for _ in range(2):
        model(torch.ones(1, 2))  # C# registers in the first call
        model.zero_grad()
        twin.zero_grad()
        for mine, expected in zip(_gradients(model, model.child), _gradients(twin, twin), strict=True):
            assert torch.equal(mine, expected)
    assert len(model.child._backward_hooks) == 1
    assert len(model.child._backward_pre_hooks) == 2


def test_both_languages_are_in_one_list(load: Load) -> None:
    """O-1, B-14: what each sees is what the one before it left."""
    model = load("Backward", "constructor")
    seen: list[float] = []
    model.child.register_full_backward_hook(
        lambda module, grad_input, grad_output: seen.append(float(grad_output[0][0, 0]))
    )
    handle = model.child.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 10,))
    _gradients(model, model.child)
    assert seen == [60.0]  # (1 + 1) * 3, then Python's * 10
    model.child._backward_pre_hooks.popitem(last=False)  # Python takes C#'s prepended one out
    handle.remove()
    _gradients(model, model.child)
    assert seen[1:] == [3.0]


def test_legacy_hooks_are_pytorchs(load: Load) -> None:
    """L-1, G-5: the flag is the mirror's, so the other kind is refused."""
    model = load("Backward", "legacy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model(torch.ones(1, 2))
        _gradients(model, model.child)
    assert model.child._is_full_backward_hook is False
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full backward hooks"):
        model.child.register_full_backward_hook(lambda *_: None)


def test_mixing_is_refused_before_the_module_is_mirrored(load: Load) -> None:
    """G-5"""
    with pytest.raises(bridge.DotNetError, match="Cannot use both regular backward hooks and full backward hooks"):
        load("Backward", "mixed")


def test_a_module_outside_of_the_model_says_that_its_hook_would_not_run(load: Load) -> None:
    """B-1"""
    with pytest.raises(
        bridge.DotNetError,
        match="Linear has a backward hook, which runs only if the module is part of a model that Python loaded",
    ):
        load("Backward", "loose")(torch.ones(1, 2))


def test_an_exception_leaves_backward(load: Load) -> None:
    """B-21: it names the module that the hook is of."""
    model = load("Backward", "throws")
    x = torch.ones(1, 2, requires_grad=True)
    with pytest.raises(bridge.DotNetError, match="from the hook"):
        model(x).sum().backward()


@pytest.mark.parametrize(
    ("how", "factor"), [("scale", 5), ("later", 7), ("look", 1), ("remove", 1), ("captures itself", 1)]
)
def test_hooks_on_tensors_inside_forward(load: Load, how: str, factor: float, live_counts: Counts) -> None:
    """T-2, T-7: the hook belongs to the graph, and what it captured of the call is alive when it runs."""
    model = load("OnTensors", how)
    before = live_counts()["hooks"]
    x = torch.ones(1, 2, requires_grad=True)
    y = model(x)
    live_counts()  # frees what the call left to .NET
    y.sum().backward()
    assert x.grad is not None
    # Weights may nearly cancel, and the order of the additions differs.
    assert torch.allclose(x.grad, model.child.weight.sum(0, keepdim=True) * 2 * factor, atol=1e-5)
    if how != "captures itself":  # a cycle through both languages, which no collector sees
        del x, y
        assert live_counts()["hooks"] == before


def test_an_exception_of_a_tensor_hook_is_the_csharp_one(load: Load) -> None:
    """T-9"""
    x = torch.ones(1, 2, requires_grad=True)
    with pytest.raises(bridge.DotNetError, match="from the tensor's hook"):
        load("OnTensors", "throw")(x).sum().backward()


def test_hooks_on_parameters(load: Load, live_counts: Counts) -> None:
    """T-5, Q-2: a parameter in C# is the mirror's, and so is its hook."""
    model = load("OnTensors", "parameter")
    model(torch.ones(1, 2)).sum().backward()
    assert torch.equal(model.child.weight.grad, torch.zeros(2, 2))
    del model
    before = live_counts()["hooks"]
    model = load("OnTensors", "accumulated")
    model(torch.ones(1, 2)).sum().backward()
    assert torch.equal(model.child.weight.grad, torch.full((2, 2), 20.0))
    assert live_counts()["hooks"] == before + 1
    del model
    assert live_counts()["hooks"] == before


def test_an_exception_of_pythons_passes_through_as_the_very_object(load: Load) -> None:
    """B-21, T-9: below a C# hook that calls a module with a Python hook."""
    error = ValueError("mine")

    def fails(*_: object) -> None:
        raise error

    model = load("OnTensors", "calls")
    model.child.register_forward_pre_hook(lambda module, args: fails() if calls else None)
    calls: list[int] = []
    x = torch.ones(1, 2, requires_grad=True)
    y = model(x)
    calls.append(1)
    with pytest.raises(ValueError, match="mine") as caught:
        y.sum().backward()
    assert caught.value is error


def test_a_refusal_of_pytorchs_passes_through(load: Load, live_counts: Counts) -> None:
    """Q-1: the very exception, and no entry stays behind."""
    before = live_counts()["hooks"]
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        load("OnTensors", "not a leaf")(torch.ones(1, 2))
    assert live_counts()["hooks"] == before


def test_untyped_hooks(load: Load) -> None:
    """P-2, F-2: through the base class, whatever the module's types are."""
    model = load("Untyped", "plain")
    first, second = torch.ones(1), torch.full((1,), 2.0)
    assert float(model(first, second)) == (1 + 1) * 2 * 2
    assert float(model(first, second, first)) == ((1 + 1) * 2 + 1) * 3


def test_kwargs_hooks(load: Load) -> None:
    """P-3, P-5, F-1: arguments given by name come by name, and may be changed in place."""
    model = load("Untyped", "kwargs")
    first, second = torch.ones(1), torch.full((1,), 2.0)
    assert float(model(first, second)) == 1 * 2 * 2
    assert float(model(first, second, plus=first)) == 1 * 2 * 2 + 10 + 1000
    assert float(model(first, times=second, plus=first)) == 1 * 2 * 2 + 10 + 2000


def test_global_hooks_see_modules_of_both_runtimes(load: Load) -> None:
    """G-3, O-1"""
    model = load("Untyped", "global")
    assert len(torch.nn.modules.module._global_forward_hooks) == 1
    plain = torch.nn.Linear(1, 1)
    x = torch.ones(1, requires_grad=True)
    model(plain(x), x).sum().backward()
    model(plain(x), x, x)  # C# removes its hooks
    assert not torch.nn.modules.module._global_forward_hooks
    assert not torch.nn.modules.module._global_backward_hooks
