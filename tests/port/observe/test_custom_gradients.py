"""custom_gradients.py: a custom torch.autograd.Function as plain functions (issue 43, section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd import Function

from bridge.port.observe import custom_gradients
from bridge.port.observe.custom_gradients import is_custom, plain_function
from bridge.port.observe.substitutes import substitute
from bridge.port.porting import Port


class Bounded(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, bound: float, scale: float = 2.0) -> Tensor:
        ctx.save_for_backward(x, x * 0 + bound)
        ctx.scale = scale
        return x.clamp(min=bound) * scale

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x, bound = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            gradient = gradient * (x >= bound) * ctx.scale
        return gradient, None, None


class Weighted(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x, weight = ctx.saved_tensors
        return gradient * weight * 3, gradient * x


class _Taken(Function):
    """Do in PyTorch what ``differentiable`` means."""

    @staticmethod
    def forward(ctx: Any, found: Any, backward: Any, *inputs: Tensor) -> Any:
        ctx.found, ctx.run = found, backward
        return found[0]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return None, None, *ctx.run(ctx.found[1:], gradient)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Bounded, (torch.tensor([1.0, 3.0]), 2.0)),
        (Bounded, (torch.tensor([1.0, 3.0]), 2.0, 5.0)),
        (Weighted, (torch.tensor([1.0, 3.0]), torch.tensor([2.0, -1.0]))),
    ],
)
def test_the_functions_compute_values_and_gradients_as_apply_does(
    kind: Any, given: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain: Any = plain_function(kind)
    taken = lambda found, inputs, backward: _Taken.apply(found, backward, *inputs)  # noqa: E731  # short
    monkeypatch.setitem(plain.__globals__, "__bridge_differentiable__", taken)
    results = []
    for run in (kind.apply, plain):
        copies = [one.clone().requires_grad_() if isinstance(one, Tensor) else one for one in given]
        result = run(*copies)
        result.sum().backward()
        results.append([result, *(one.grad for one in copies if isinstance(one, Tensor))])
    assert all(torch.equal(one, other) for one, other in zip(*results, strict=True))


class InPlace(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.mark_dirty(x)
        return x.zero_()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient


class Computed(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: float) -> Tensor:
        scale = scale + 1
        ctx.scale = scale
        return x * scale

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return gradient * ctx.scale, None


class Two(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Any:
        return x, x + 1

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0]


class Early(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, flag: bool) -> Tensor:
        if flag:
            return x
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return gradient, None


class Inherited(Weighted):
    pass


@pytest.mark.parametrize("kind", [InPlace, Computed, Two, Early, Inherited])
def test_what_does_more_has_no_such_functions(kind: type[Function]) -> None:
    assert plain_function(kind) is None
    assert substitute(kind.apply) == kind.apply


def test_only_the_apply_of_a_custom_function_is_one() -> None:
    assert is_custom(Weighted.apply)
    assert not is_custom(torch.relu)
    assert not is_custom(nn.Module.apply)
    assert not is_custom(torch.utils.checkpoint.CheckpointFunction.apply)
    assert custom_gradients.plain_function(Weighted) is plain_function(Weighted)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x: Tensor) -> Tensor:
        return Weighted.apply(Bounded.apply(x, 0.5), self.weight)  # type: ignore[no-any-return]  # untyped


def test_they_are_functions_of_the_project(ported: Callable[..., Port]) -> None:
    port = ported(Net, torch.rand(2, 3))
    assert port.left == ()
    assert "PythonMath.Differentiable(" in port.files["Functions.cs"]
    assert "List<Tensor> { x, weight }" in port.files["Functions.cs"]
    assert "Functions.Weighted(Functions.Bounded(x, 0.5), weight)" in port.files["Net.cs"]
