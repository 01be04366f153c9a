"""torch.autograd and what else of torch.nn.utils training uses, in C#."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import fusion

import bridge


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    return build_csharp([Path(__file__).with_name("Autograd.cs")], "Derived")


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(5, generator=torch.Generator().manual_seed(4))


@pytest.fixture
def run(assembly: Path, x: torch.Tensor) -> Callable[[str], torch.Tensor]:
    def call(what: str) -> torch.Tensor:
        result: torch.Tensor = bridge.load(assembly, "Derived.Gradients")(x, what)
        return result

    return call


def test_grad(run: Any, x: torch.Tensor, bits_equal: Any) -> None:
    w, v = x.clone().requires_grad_(), (x * 2).requires_grad_()
    expected = torch.autograd.grad([(w * v).sum(), w.exp()], [w, v], [torch.ones([]), x.abs()])
    assert bits_equal(run("grad"), torch.stack(expected))
    assert bits_equal(run("unused"), x.cos())
    with pytest.raises(bridge.DotNetError, match="not have been used in the graph"):
        run("refused")


def test_the_gradient_of_a_gradient(run: Any, x: torch.Tensor) -> None:
    assert torch.allclose(run("second"), 6 * x)


def test_backward_accumulates_into_leaves(run: Any, x: torch.Tensor, bits_equal: Any) -> None:
    w, v = x.clone().requires_grad_(), (x * 2).requires_grad_()
    torch.autograd.backward([w * v, w.sin()], [x, x.cos()])
    torch.autograd.backward((w * w).sum())
    torch.autograd.backward(v.exp(), x)
    assert w.grad is not None
    assert v.grad is not None
    assert bits_equal(run("backward"), torch.stack([w.grad, v.grad]))
    assert bits_equal(run("inputs"), x)
    assert bits_equal(run("retained"), x.exp() + x.exp())


@pytest.mark.filterwarnings("ignore:Error detected in MulBackward0", "ignore:Anomaly Detection has been enabled")
def test_anomaly_mode_is_pythons_and_ends(run: Any) -> None:
    with pytest.raises(bridge.DotNetError, match="returned nan values in its 0th output"):
        run("anomaly")
    assert not torch.is_anomaly_enabled()
    assert run("anomaly after").item() == 0
    with torch.autograd.set_detect_anomaly(True):
        assert run("anomaly after").item() == 1


def _joined(pair: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    return nn.utils.parameters_to_vector(pair).detach()


def test_fused_weights_are_pytorchs(assembly: Path, bits_equal: Any) -> None:
    ours: Any = bridge.load(assembly, "Derived.Fused")
    torch.manual_seed(3)
    for norm in (ours.norm, ours.flat):
        for tensor in (norm.weight, norm.bias, norm.running_mean, norm.running_var):
            tensor.data.uniform_(0.5, 1.5)
    conv, up, norm, linear, flat = ours.conv, ours.up, ours.norm, ours.linear, ours.flat
    rest = (norm.running_mean, norm.running_var, 1e-5)
    x = torch.randn(3, 5)
    with pytest.raises(bridge.DotNetError, match="valid only for eval mode"):
        ours(x, "layer")
    ours.eval()
    for what, expected in {
        "conv": fusion.fuse_conv_bn_weights(conv.weight, conv.bias, *rest, norm.weight, norm.bias),
        "bare": fusion.fuse_conv_bn_weights(conv.weight, None, *rest, None, None),
        "transposed": fusion.fuse_conv_bn_weights(up.weight, up.bias, *rest, norm.weight, norm.bias, True),
        "linear": fusion.fuse_linear_bn_weights(
            linear.weight, linear.bias, flat.running_mean, flat.running_var, 1e-5, flat.weight, flat.bias
        ),
    }.items():
        assert bits_equal(ours(x, what), _joined(expected)), what
    assert torch.allclose(ours(x, "layer"), flat(linear(x)), atol=1e-6)


def test_parameters_become_parts_of_a_vector(assembly: Path, bits_equal: Any) -> None:
    ours: Any = bridge.load(assembly, "Derived.Fused")
    vector = torch.randn(24)
    weight = ours.linear.weight
    assert bits_equal(ours(vector, "vector"), vector[:20].view(4, 5))
    assert ours.linear.weight is weight
    assert weight.data_ptr() == vector.data_ptr()
    assert bits_equal(ours.linear.bias.detach(), vector[20:])
