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


def watched(models: str) -> None:
    """Check that registration hooks see no module that .NET's start creates for its probes."""
    seen: list[str] = []
    torch.nn.modules.module.register_module_parameter_registration_hook(lambda _, name, value: seen.append(name))
    bridge.load(models, "Models.Pair")
    assert seen == ["weight", "bias"] * 2, seen
