"""admission.py: models that are refused because their classes do not say what they compute."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations

from bridge.port.errors import Unwritable
from bridge.port.observe.models.admission import check_model
from bridge.port.observe.models.construction import construct


@pytest.mark.parametrize(
    ("change", "undo"),
    [
        (parametrizations.spectral_norm, "torch.nn.utils.parametrize.remove_parametrizations"),
        (torch.nn.utils.spectral_norm, "torch.nn.utils.remove_spectral_norm"),
        (torch.nn.utils.weight_norm, "torch.nn.utils.remove_weight_norm"),
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_weight_that_is_computed_before_each_call_is_refused(change: Callable[..., nn.Module], undo: str) -> None:
    with pytest.raises(
        Unwritable, match=rf"^0 has a weight that \w+ computes: port the model after {undo}, which keeps"
    ):
        construct(lambda: nn.Sequential(change(nn.Bilinear(2, 2, 2))))


def test_a_parameter_that_was_registered_with_a_layer_is_refused_by_name() -> None:
    """Code of a model's own, such as a spectral norm by hand, keeps its state in the layer, for which TorchSharp's has no place."""
    model = nn.Sequential(nn.LSTM(2, 2), nn.MultiheadAttention(4, 2), nn.Conv2d(1, 1, 1), nn.PReLU())
    check_model(model)
    model[2].register_parameter("weight_bar", nn.Parameter(torch.ones(1)))
    with pytest.raises(
        Unwritable, match="^'2' is a Conv2d with the parameter weight_bar, which PyTorch's Conv2d has not"
    ):
        check_model(model)


def test_weights_without_shapes_are_refused() -> None:
    model = nn.Sequential(nn.ReLU(), nn.LazyLinear(3))
    with pytest.raises(
        Unwritable, match="^'1' is a LazyLinear whose weights get their shapes in the first call: port a "
    ):
        construct(lambda: model)
    model(torch.rand(2, 4))
    check_model(model)


def double(*arguments: Any) -> Any:
    """Return nothing, as any of the hooks."""
    return None


@pytest.mark.parametrize(
    ("register", "kind"),
    [
        (nn.Module.register_forward_pre_hook, "forward pre hook"),
        (nn.Module.register_forward_hook, "forward hook"),
        (nn.Module.register_full_backward_pre_hook, "backward pre hook"),
        (nn.Module.register_full_backward_hook, "backward hook"),
    ],
)
def test_a_hook_is_refused_by_name_with_its_module(register: Callable[..., Any], kind: str) -> None:
    """Issue 43, section 2: hooks are part of the model."""
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    check_model(model)
    handle = register(model[1], double)
    with pytest.raises(Unwritable, match=f"^'1' has the {kind} double, which the C# would not run"):
        check_model(model)
    handle.remove()
    check_model(model)


class Choosing(nn.Module):
    def __init__(self, doubles: bool) -> None:
        super().__init__()
        self.forward = self.doubled if doubles else self.halved

    def doubled(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def halved(self, x: torch.Tensor) -> torch.Tensor:
        return x / 2


def test_a_forward_that_is_a_method_of_the_class_is_the_same_in_all_its_modules() -> None:
    check_model(nn.Sequential(Choosing(True), Choosing(True)))
    with pytest.raises(
        Unwritable, match=r"^'0' has a forward that is set on the instance, Choosing\.doubled: define it"
    ):
        check_model(nn.Sequential(Choosing(True), Choosing(False)))


def test_a_forward_of_an_instance_is_refused_by_name() -> None:
    def forward(self: nn.Module, x: torch.Tensor) -> torch.Tensor:
        return x

    model = nn.Sequential(nn.Linear(2, 2))
    model[0].forward = types.MethodType(forward, model[0])  # type: ignore[method-assign]  # that is what is refused
    with pytest.raises(Unwritable, match=r"^'0' has a forward that is set on the instance, .*forward: define it"):
        check_model(model)


class Twofold(nn.Module):
    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.forward(x) * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


def test_a_call_of_its_own_beside_forward_is_refused() -> None:
    with pytest.raises(Unwritable, match="^0 is of class Twofold, which has a __call__ of its own besides forward"):
        check_model(nn.Sequential(Twofold()))
