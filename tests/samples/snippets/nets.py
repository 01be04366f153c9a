"""Snippets of test_mtcnn.py."""

from __future__ import annotations

import json

import bridge
from bridge.clr.find.assemblies import sample


def enumerated() -> None:
    """Print names and types of the C# nets' modules, and names and shapes of their state, in order."""
    nets = [bridge.load(sample("Mtcnn.dll"), f"Mtcnn.{name}") for name in ("PNet", "RNet", "ONet")]
    modules = [[(name, type(module).__name__) for name, module in net.named_modules()] for net in nets]
    states = [[(name, list(value.shape)) for name, value in net.state_dict().items()] for net in nets]
    print(json.dumps(list(zip(modules, states, strict=True))))
