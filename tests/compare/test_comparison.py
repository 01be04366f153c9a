"""comparison.py: a comparison of a model with its C#."""

from __future__ import annotations

from typing import Any

import torch

import bridge
from bridge.compare.comparison import compare
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.weights import share
from bridge.samples.lenet import LeNet


class Moved(LeNet):
    """A model that overrides ``to`` and forgets the result, as policies of reinforcement learning do."""

    def to(self, *args: Any, **kwargs: Any) -> Any:
        super().to(*args, **kwargs)


def test_a_model_whose_own_to_returns_nothing_is_compared() -> None:
    original, port = Moved(), bridge.load(bridge.sample("Vision.dll"), "Vision.LeNet")
    share("python", original, port)
    found = compare(original, port, Inputs((torch.rand(2, 1, 28, 28),)))
    assert found.same, found.verdict
