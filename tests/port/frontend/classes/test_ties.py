"""ties.py: the names of parameters below a class."""

from __future__ import annotations

from collections.abc import Callable

import torch

from bridge.port.porting import Port
from tests.port import styles


def test_in_a_dictionary(ported: Callable[..., Port]) -> None:
    text = ported(styles.Tied, torch.tensor([[1, 2]])).files["Tied.cs"]
    assert 'head.weight = ((Embedding)parts["embed"]).weight!;' in text
