"""A user's test file for test_plugin.py: the fixture records a model."""

from __future__ import annotations

from typing import Any

import torch


def test_trace(hook_trace: Any) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    trace = hook_trace(model, torch.ones(1, 2), values="digest")
    assert [(event.path, event.phase) for event in trace] == [
        ("", "pre"),
        ("0", "pre"),
        ("0", "forward"),
        ("1", "pre"),
        ("1", "forward"),
        ("", "forward"),
    ]
    assert trace[2].values[0].digest is not None
