"""Snippets of test_devices.py."""

from __future__ import annotations

import torch

import bridge


def on_meta(models: str) -> None:
    with torch.device("meta"):
        model = bridge.load(models, "Models.Pair")
    assert all(parameter.is_meta for parameter in model.parameters())
    x = torch.ones(2, 3)
    other = bridge.load(models, "Models.Pair")
    assert other(x).shape == (2, 3)
