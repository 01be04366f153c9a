"""computed_weights.py: layers whose weight a hook of PyTorch's computes (issue 43, section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import spectral_norm, weight_norm

from bridge.port.observe.models.computed_weights import computed_in_forward, hook_of
from bridge.port.porting import Port

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")

Make = Callable[[], nn.Module]
LAYERS: list[tuple[Make, tuple[int, ...]]] = [
    (lambda: weight_norm(nn.Linear(3, 4)), (2, 3)),
    (lambda: weight_norm(nn.Linear(3, 4, bias=False), dim=None), (2, 3)),
    (lambda: weight_norm(nn.Conv1d(2, 4, 3, stride=2, padding=1), dim=1), (1, 2, 8)),
    (lambda: weight_norm(nn.Conv2d(2, 4, (3, 1), dilation=2, groups=2)), (1, 2, 8, 8)),
    (lambda: weight_norm(nn.ConvTranspose1d(2, 4, 4, stride=2, output_padding=1)), (1, 2, 5)),
    (lambda: spectral_norm(nn.Linear(3, 4)), (2, 3)),
    (lambda: spectral_norm(nn.Conv2d(2, 4, 3), n_power_iterations=2, eps=1e-6), (1, 2, 8, 8)),
    (lambda: spectral_norm(nn.ConvTranspose2d(2, 4, 3)), (1, 2, 8, 8)),
]  # fmt: skip


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize(("make", "shape"), LAYERS)
def test_the_class_computes_what_the_hook_does(make: Make, shape: tuple[int, ...], train: bool) -> None:
    torch.manual_seed(0)
    layer = make().train(train)
    torch.manual_seed(0)
    other = make().train(train)
    with computed_in_forward(other):
        assert type(other).__name__.endswith(f"Norm{type(layer).__name__}")
        for seed in range(2):
            x = torch.rand(shape, generator=torch.Generator().manual_seed(seed))
            wanted, found = layer(x), other(x)
            assert torch.allclose(found, wanted, atol=1e-6)
            wanted.sum().backward()
            found.sum().backward()
        assert other.state_dict().keys() == layer.state_dict().keys()
    for name, one in layer.named_parameters():
        assert torch.allclose(other.get_parameter(name).grad, one.grad, atol=1e-5), name  # type: ignore[arg-type]
    for name, buffer in layer.named_buffers():
        assert torch.allclose(other.get_buffer(name), buffer), name


def test_the_layer_is_what_it_was_afterwards() -> None:
    layer = weight_norm(nn.Linear(3, 4)).eval()
    before = dict(vars(layer))
    with computed_in_forward(layer):
        layer.train()
    assert type(layer) is nn.Linear
    assert {**before, "training": True} == vars(layer)
    assert hook_of(layer) is not None


@pytest.mark.parametrize(
    "layer",
    [
        nn.Linear(3, 4),
        weight_norm(nn.LSTM(3, 4), "weight_hh_l0"),
        weight_norm(nn.Conv2d(3, 4, 3, padding=1, padding_mode="circular")),
        spectral_norm(weight_norm(nn.Linear(3, 4)), "weight_v"),
    ],
)
def test_other_layers_keep_their_class(layer: nn.Module) -> None:
    assert hook_of(layer) is None


class Normed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = weight_norm(nn.Linear(3, 4)), spectral_norm(nn.Linear(4, 2))

    def forward(self, x: torch.Tensor) -> Any:
        return self.second(self.first(x))


def test_they_are_classes_of_the_project(ported: Callable[..., Port]) -> None:
    port = ported(Normed, torch.rand(2, 3))
    assert port.left == ()
    assert "new WeightNormLinear(" in port.files["Normed.cs"]
    assert "return weight_v * (weight_g / norm);" in port.files["WeightNormLinear.cs"]
    assert 'register_buffer("weight_u"' in port.files["SpectralNormLinear.cs"]
