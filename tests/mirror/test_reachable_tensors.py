"""NN/Reachability/ReachableTensors.cs: a tensor that a model keeps from a call is valid in the next call, in whatever object it is kept."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest
import torch

PLACES = (
    *("set", "pairs", "queue", "chain", "concurrent", "lazy", "closure", "task", "boxed", "static", "static class"),
    "nested",
)


@pytest.mark.parametrize("place", PLACES)
def test_what_a_model_keeps_survives_the_call(load: Callable[..., Any], place: str) -> None:
    model = load("Hoarder", place)
    kept = None
    for number in range(1, 5):
        x = torch.full((2,), float(number))
        result = model(x)
        assert torch.equal(result, x if kept is None else x + kept)
        kept = x * 2
        gc.collect()
