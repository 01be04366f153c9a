"""ResNet-18 in PyTorch and in C#: torchvision's names, one structure, one trace, one set of gradients."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.samples.resnet import ResNet18

MODULES = 68
#: Each block runs its one ReLU twice.
CALLS = MODULES + 8


def test_names_and_numbers_are_those_of_torchvision() -> None:
    """The facts about torchvision's resnet18 by which its weight files load here."""
    net = ResNet18()
    assert sum(p.numel() for p in net.parameters()) == 11_689_512
    assert len(list(net.modules())) == MODULES
    keys = list(net.state_dict())
    assert len(keys) == 122
    assert keys[:7] == [
        "conv1.weight",
        "bn1.weight",
        "bn1.bias",
        "bn1.running_mean",
        "bn1.running_var",
        "bn1.num_batches_tracked",
        "layer1.0.conv1.weight",
    ]
    assert keys[-2:] == ["fc.weight", "fc.bias"]
    assert {name for name, _ in net.named_modules() if "downsample" in name} == {
        f"layer{stage}.0.downsample{part}" for stage in (2, 3, 4) for part in ("", ".0", ".1")
    }
    assert [name for name, _ in net.named_children()] == [
        "conv1",
        "bn1",
        "relu",
        "maxpool",
        "layer1",
        "layer2",
        "layer3",
        "layer4",
        "avgpool",
        "fc",
    ]
    assert [name for name, _ in net.layer2[0].named_children()] == [
        "conv1",
        "bn1",
        "relu",
        "conv2",
        "bn2",
        "downsample",
    ]


def test_structure_and_initial_weights_are_equal(port: Any) -> None:
    port(ResNet18).check_structure()


@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
def test_traces_values_and_gradients_are_equal(training: bool, port: Any) -> None:
    pair = port(ResNet18, 10)
    for batch in (2, 3):
        pair.check_calls(torch.rand(batch, 3, 64, 48), training, CALLS)


def test_a_picture_of_the_usual_size(port: Any) -> None:
    port(ResNet18).check_calls(torch.rand(1, 3, 224, 224), False, CALLS)
