"""layers.py: PyTorch's modules as the calls that make them in TorchSharp."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.layers import is_layer, written


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), "Conv2d(3, 8, 3, stride: 2, padding: 1, bias: false)"),
        (nn.Conv2d(3, 8, (1, 3), padding=(0, 1)), "Conv2d(3, 8, (1, 3), padding: (0, 1))"),
        (nn.Linear(4, 2), "Linear(4, 2)"),
        (nn.BatchNorm2d(8, eps=1e-3, momentum=0.01), "BatchNorm2d(8, eps: 0.001, momentum: 0.01)"),
        (nn.LayerNorm(6), "LayerNorm(6)"),
        (nn.LayerNorm((6, 2), eps=1e-6), "LayerNorm(new long[] { 6, 2 }, eps: 1e-06)"),
        (nn.MaxPool2d(2), "MaxPool2d(2)"),
        (nn.MaxPool2d(3, 2, 1, ceil_mode=True), "MaxPool2d(3, stride: 2, padding: 1, ceil_mode: true)"),
        (nn.Dropout(0.1), "Dropout(p: 0.1)"),
        (nn.ReLU(inplace=True), "ReLU(inplace: true)"),
        (nn.Embedding(10, 4, padding_idx=0), "Embedding(10, 4, padding_idx: 0)"),
        (nn.LSTM(3, 4, batch_first=True), "LSTM(3, 4, batchFirst: true)"),
        (nn.Flatten(), "Flatten()"),
        (nn.Identity(), "Identity()"),
    ],
)
def test_a_module_is_written_with_what_is_not_its_default(module: nn.Module, text: str) -> None:
    assert written(module, {}) == text


def test_what_torchsharp_cannot_make_is_not_written() -> None:
    assert written(nn.MultiheadAttention(4, 2, batch_first=True), {}) is None
    assert written(nn.MaxPool2d(2, return_indices=True), {}) is None, "it gives two results"


def test_one_scale_is_one_for_each_dimension_of_the_input() -> None:
    assert written(nn.Upsample(scale_factor=2), {}, 4) == "Upsample(scale_factor: new double[] { 2.0, 2.0 })"
    assert (
        written(nn.Upsample(size=5, mode="linear"), {}, 3)
        == "Upsample(size: new long[] { 5 }, mode: UpsampleMode.Linear)"
    )
    assert written(nn.Upsample(scale_factor=2), {}) is None


def test_containers_are_no_layers() -> None:
    assert is_layer(nn.Linear(1, 1))
    assert not is_layer(nn.Sequential())
    assert not is_layer(nn.ModuleList())
