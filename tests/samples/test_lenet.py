"""LeNet in PyTorch and in C#: one structure, one trace, one set of gradients."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.samples.lenet import LeNet


def test_the_classical_number_of_parameters() -> None:
    net = LeNet()
    assert sum(p.numel() for p in net.parameters()) == 61_706
    assert net(torch.zeros(2, 1, 28, 28)).shape == (2, 10)


@pytest.mark.parametrize("classes", [(), (3,)])
def test_structure_and_initial_weights_are_equal(classes: tuple[int, ...], port: Any) -> None:
    port(LeNet, *classes).check_structure()


@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
def test_traces_values_and_gradients_are_equal(training: bool, port: Any) -> None:
    port(LeNet).check_calls(torch.rand(3, 1, 28, 28), training, calls=12)
