"""limits.py: what the graph of one run would fix, and another call may do otherwise, is named (issue 43, section 2)."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.graphs.limits import find_limits
from bridge.port.observe.runs import observe

X = torch.ones(2, 3)


class Base(nn.Module):
    """Has settings and state that the cases use."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.calls = True, 0
        self.parts = nn.ModuleList([nn.ReLU()])


class Number(Base):
    def forward(self, x: torch.Tensor, n: int) -> torch.Tensor:
        return x * n


class State(Base):
    def count(self) -> None:
        self.calls += 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count()
        return x


class Mode(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2 if self.training else x


class Sizes(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = x.shape[0]
        if rows > 1:
            x = x + 1
        return x


ADDED = [1]  # a global value that is no function, and cannot be a key


def widened(x: torch.Tensor) -> torch.Tensor:
    return x + ADDED[0] if x.shape[0] > 1 else x


class Function(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return widened(x)


class Mixed(Base):
    """A float at the left of a size gives a plain float; at the left of a tensor, a tensor."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 0.5 * x + 1.0 / x.shape[0]


class Items(Base):
    def forward(self, items: list[torch.Tensor]) -> torch.Tensor:
        return torch.stack([one + 1 for one in items])


class Identity(Base):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, bool]:
        y = x.float()
        return y, y is x


class Settings(Base):
    """Settings, modules, types and the mode of a dropout are no limits."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.wide and x is not None:
            x = nn.functional.dropout(x, 0.5, self.training)
        for part in self.parts:
            x = part(x) if isinstance(x, torch.Tensor) else x
        return x


@pytest.mark.parametrize(
    ("kind", "arguments", "why"),
    [
        (Number, {"x": X, "n": 2}, ["it would fix n, a int that is given"]),
        (State, {"x": X}, ["it would not assign self.calls"]),
        (Mode, {"x": X}, ["it would fix the mode"]),
        (Sizes, {"x": X}, ["it would fix 'rows > 1'"]),
        (Function, {"x": X}, ["it would fix 'x.shape[0] > 1'"]),
        (Mixed, {"x": X}, ["it would fix '1.0 / x.shape[0]'"]),
        (Items, {"items": [X, X]}, ["it would fix 'items'"]),
        (Identity, {"x": X}, ["it would fix 'y is x'"]),
        (Settings, {"x": X}, []),
    ],
)
def test_what_another_call_may_do_otherwise_is_named(
    kind: type[nn.Module], arguments: dict[str, Any], why: list[str]
) -> None:
    methods = observe(kind().eval(), arguments, lambda one: one is kind)
    found = find_limits(methods[kind.forward], methods, kind)
    assert list(dict.fromkeys(reason for _, reason in found)) == why


def test_escapes_of_sizes_are_limits() -> None:
    methods = observe(Settings().eval(), {"x": X}, lambda one: one is Settings)
    found = find_limits(methods[Settings.forward], methods, Settings, ["a.py:3", "a.py:3"])
    assert list(found) == [(None, "it would fix a number computed from sizes, at a.py:3")]
