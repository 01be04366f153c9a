"""frozen.py: parameters that get no gradient."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from bridge.port.frozen import frozen
from bridge.port.porting import Port
from tests.port import everyday


def test_what_is_frozen_is_said_after_components_are_registered(ported: Callable[..., Port]) -> None:
    text = ported(everyday.Tuned, torch.rand(2, 4)).files["Tuned.cs"]
    end = text[text.index("RegisterComponents();") :].split("public override")[0]
    assert [line.strip() for line in end.splitlines() if line.strip()] == [
        "RegisterComponents();",
        "foreach (var (name, parameter) in named_parameters())",
        "{",
        'parameter.requires_grad = !(name is "shift" or "head.bias" || name.StartsWith("body."));',
        "}",
        "}",
    ]


def test_all_or_nothing() -> None:
    assert frozen(nn.Linear(2, 2)) == []
    assert frozen(nn.Linear(2, 2).requires_grad_(False))[0] == "foreach (var parameter in parameters())"
