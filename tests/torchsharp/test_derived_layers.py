"""Classes that derive from Convolution, ConvolutionTranspose and BatchNorm, as TorchSharp's users write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import bridge


class Scaled(nn.Conv2d):
    """What Scaled of Derived.cs is."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        padded = F.pad(input, (2, 2, 1, 1), mode="reflect")
        return F.conv2d(padded, self.weight * 2, self.bias, self.stride)


#: Kind: what PyTorch has, and the shape of an input.
CASES: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "scaled": (lambda: Scaled(3, 4, 3, stride=(2, 1)), (2, 3, 6, 7)),
    "kept": (lambda: nn.Conv1d(2, 2, 2, padding="same", dilation=3, bias=False), (2, 2, 9)),
    "grown": (lambda: nn.ConvTranspose1d(2, 3, 2, stride=2, output_padding=1), (2, 2, 5)),
    "norm": (lambda: nn.BatchNorm2d(3, eps=1e-4, momentum=0.2), (2, 3, 4, 5)),
}


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path], reference: Path) -> Path:
    return build_csharp([Path(__file__).with_name("Derived.cs")], "DerivedLayers", against=[reference])


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")
@pytest.mark.parametrize("kind", CASES)
def test_a_derived_layer_is_as_pytorchs(assembly: Path, kind: str, bits_equal: Any) -> None:
    make, shape = CASES[kind]
    torch.manual_seed(7)
    ours: Any = bridge.load(assembly, "Derived.Layers", kind)
    torch.manual_seed(7)
    theirs = make()
    assert list(ours.layer.state_dict()) == list(theirs.state_dict())
    for key, value in theirs.state_dict().items():
        assert bits_equal(ours.layer.state_dict()[key], value), key
    seen: list[Any] = []
    ours.layer.register_forward_hook(lambda module, args, result: seen.append(type(module).__name__))
    for training in (True, False):
        ours.train(training)
        theirs.train(training)
        x = torch.randn(shape, generator=torch.Generator().manual_seed(3))
        leaves = [x.clone().requires_grad_() for _ in range(2)]
        results = [ours(leaves[0]), theirs(leaves[1])]
        assert torch.allclose(*results, atol=1e-6)
        for result in results:
            result.square().sum().backward()
        assert torch.allclose(leaves[0].grad, leaves[1].grad, atol=1e-5)  # type: ignore[arg-type]  # there is one
    assert len(seen) == 2
    for key, value in theirs.state_dict().items():
        assert torch.allclose(ours.layer.state_dict()[key], value), key
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(mine.grad, other.grad, atol=1e-5)


def test_what_it_refuses(assembly: Path) -> None:
    with pytest.raises(bridge.DotNetError, match="the wrong shape"):
        bridge.load(assembly, "Derived.Scaled", 3)(torch.ones(2, 4, 6, 6))
    with pytest.raises(bridge.DotNetError, match="at least two dimensions"):
        bridge.load(assembly, "Derived.AnyNorm")(torch.ones(3))
