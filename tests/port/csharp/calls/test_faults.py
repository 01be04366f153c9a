"""faults.py: calls of what TorchSharp has wrong are not written; those of calls.tsv are not repeated here."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.csharp.calls.layers import layer
from bridge.port.csharp.lowering import begin


@pytest.mark.parametrize(
    "module",
    [
        nn.Hardtanh(),
        nn.GaussianNLLLoss(),
        nn.RReLU(),
        nn.AdaptiveMaxPool3d(2),
        nn.Unflatten(-1, (2, 3)),
        nn.ConvTranspose2d(3, 2, 3, stride=3, output_padding=(1, 2)),
        nn.Conv2d(3, 2, 3, padding="same", padding_mode="reflect"),
    ],
)
def test_a_layer_that_would_be_wrong_is_not_made(module: nn.Module) -> None:
    assert layer(begin(), module, {}) is None


@pytest.mark.parametrize(
    "module",
    [
        nn.ReLU6(),
        nn.Unflatten(1, (2, 3)),
        nn.ConvTranspose2d(3, 2, (3, 2), stride=2, output_padding=1),
        nn.Conv2d(3, 2, 3, padding="same"),
        nn.Conv2d(3, 2, 3, padding=1, padding_mode="reflect"),
    ],
)
def test_its_neighbours_are(module: nn.Module) -> None:
    assert layer(begin(), module, {}) is not None
