"""Values as they cross."""

from __future__ import annotations

import math

import pytest
import torch

from bridge.mirror import crossing


def test_round_trip_of_every_kind(dotnet: object) -> None:
    x, y = torch.randn(2), torch.ones(3, dtype=torch.int64)
    items = [x, None, True, -5, 2**62, 1.5, -0.0, math.inf, (x, (y, None), 3), [], [x, [1]]]
    words = crossing.write(items, own=True)
    # What is owned comes back as kind HANDLE and is read as such by .NET; to Python it comes as kind TENSOR.
    words = [crossing.TENSOR if i % 2 == 0 and word == crossing.HANDLE else word for i, word in enumerate(words)]
    back = crossing.read(words, len(items), owned=True)
    assert back[0] is x
    assert back[1:8] == items[1:8]
    assert math.copysign(1, back[6]) == -1
    assert back[8][0] is x
    assert back[8][1] == (y, None)
    assert back[9] == []
    assert back[10] == [x, [1]]


def test_what_cannot_cross_is_named() -> None:
    with pytest.raises(TypeError, match="a set cannot be handed to .NET"):
        crossing.write([{1}])
    with pytest.raises(TypeError, match="does not fit into 64 bits"):
        crossing.write([2**63])
