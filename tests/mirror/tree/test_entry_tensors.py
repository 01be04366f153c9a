"""bridge/mirror/tree/entries.py: C# reads the tensors of PyTorch's modules that Python has put into its collections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

Load = Callable[..., Any]
X = torch.tensor([[1.0, -2.0]])
W = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


class Doubling(nn.Module):
    """It has no tensors."""

    def forward(self, x: Any) -> Any:
        return 2 * x


class Weighted(nn.Module):
    """Has a weight, and is no Linear."""

    def __init__(self, weight: Any = None) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, x: Any) -> Any:
        return x


class Buffered(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("weight", W.clone())

    def forward(self, x: Any) -> Any:
        return x


class Computing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.below = nn.Parameter(W / 2)

    @property
    def weight(self) -> torch.Tensor:
        return self.below * 2


class Passing(nn.Module):
    """Passes on the attributes of what it wraps."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Weighted(nn.Parameter(W.clone()))

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("inner"), name)


def _parametrized() -> nn.Module:
    made = nn.Linear(2, 2, bias=False)
    made.weight = nn.Parameter(W / 2)
    return nn.utils.parametrize.register_parametrization(made, "weight", Doubling())


@pytest.mark.parametrize(
    "entry",
    [lambda: Weighted(nn.Parameter(W.clone())), lambda: Weighted(W.clone()), Buffered, Computing, Passing, _parametrized],
    ids=["parameter", "tensor", "buffer", "property", "passed on", "parametrized"],
)  # fmt: skip
def test_c_sharp_reads_the_tensors_of_pythons_modules(load: Load, entry: Callable[[], nn.Module]) -> None:
    """By name, whatever the module is, also one that is not the class that C# has in its list; and what is there later."""
    net = load("WeightsRead")
    net.layers[1] = entry()
    first = net.layers[0].weight
    assert torch.equal(net(X), X @ first.t() @ W.t())
    net(X).sum().backward()
    expected = torch.autograd.grad((X @ first.t() @ W.t()).sum(), first)
    assert torch.equal(first.grad, *expected)
    for parameter in net.layers[1].parameters():
        assert parameter.grad is not None
        with torch.no_grad():
            parameter.mul_(3)
        assert torch.equal(net(X), X @ first.t() @ (3 * W).t())
    net.layers.insert(0, net.layers[1])
    net.layers.append(Weighted(2 * W))
    layers = list(net.layers)
    expected = X
    for layer in layers:
        expected = expected @ layer.weight.t()
    assert torch.equal(net(X), expected)


def test_a_tensor_that_pythons_module_gets_later(load: Load) -> None:
    net = load("WeightsRead")
    net.layers[1] = entry = Doubling()
    with pytest.raises(AttributeError, match="has no 'weight'"):
        net(X)
    entry.weight = nn.Parameter(W)
    assert torch.equal(net(X), X @ net.layers[0].weight.t() @ W.t())
    del entry.weight
    with pytest.raises(AttributeError, match="has no 'weight'"):
        net(X)


@pytest.mark.parametrize(
    ("entry", "error", "text"),
    [
        (Doubling, AttributeError, "C# reads 'layers.1.weight', but in Python 'layers.1' is of class Doubling, which has no 'weight'"),
        (Weighted, RuntimeError, "C# reads 'layers.1.weight', which is None in Python (Weighted)"),
        (lambda: Weighted(3.0), TypeError, "C# reads 'layers.1.weight', which is a float in Python (Weighted), not a tensor"),
    ],
)  # fmt: skip
def test_a_tensor_that_pythons_module_lacks(load: Load, entry: Any, error: Any, text: str) -> None:
    """Only the C# that reads it fails, and says where; the path is that of the entry now."""
    net = load("WeightsRead")
    net.layers[1] = entry()
    with pytest.raises(error) as caught:
        net(X)
    assert text in str(caught.value)
    del net.layers[0]
    with pytest.raises(error) as caught:
        net(X)
    assert text.replace("layers.1", "layers.0") in str(caught.value)
    called = load("Collections")
    called.layers[1] = entry()
    assert called(X) is not None


def test_a_property_that_raises_raises_where_c_sharp_reads_it(load: Load) -> None:
    class Raising(nn.Module):
        @property
        def weight(self) -> torch.Tensor:
            raise KeyError("no weight today")

        def forward(self, x: Any) -> Any:
            return x

    net, called = load("WeightsRead"), load("Collections")
    net.layers[1], called.layers[1] = Raising(), Raising()
    with pytest.raises(KeyError, match="no weight today"):
        net(X)
    assert called(X) is not None


def test_tensors_of_convolutions_and_of_the_models_own_classes(load: Load) -> None:
    """Whatever C#'s fields of them are called; a bias that is None in Python is null in C#."""
    net, image = load("KernelsRead"), torch.randn(1, 1, 2, 2)
    net.layers[0] = nn.Conv2d(1, 1, 1, bias=False)
    first, second = net.layers
    assert torch.equal(net(image), image * first.weight.sum() * second.weight.sum() + second.bias)
    second.bias = None
    assert torch.equal(net(image), image * first.weight.sum() * second.weight.sum())
    del second.bias
    with pytest.raises(AttributeError, match=r"'layers\.1\.bias'.*no 'bias'"):
        net(image)
    second.bias = None
    net.layers[0] = Weighted(W)
    with pytest.raises(AttributeError, match=r"'layers\.0\.bias'.*no 'bias'"):
        net(image)
    net.layers[0].bias = None
    assert torch.equal(net(image), image * W.sum() * second.weight.sum())
    own = load("ScalesRead")
    own.h[1] = entry = Weighted()
    with pytest.raises(AttributeError, match=r"'h\.1\.scale'.*no 'scale'"):
        own(X)
    entry.scale = torch.tensor([3.0, 5.0])
    assert torch.equal(own(X), X * own.h[0].scale * entry.scale)
