"""diagnosis.liveness: a model that behaves differently lives, and one that differs by rounding does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from diagnosis.liveness import difference, run


class Net(nn.Module):
    def __init__(self, tail: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.fc, self.norm, self.tail = nn.Linear(3, 3), nn.BatchNorm1d(3), tail

    def forward(self, x: torch.Tensor) -> Any:
        return self.tail(self.norm(self.fc(x)))


def judge(first: nn.Module, second: nn.Module) -> str:
    state = {name: value.clone() for name, value in first.state_dict().items()}
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    return difference(*(run(model, state, (x,), train=True) for model in (first, second)))


@pytest.mark.parametrize(
    ("tail", "by"),
    [
        (lambda x: x * 1.0, ""),
        (lambda x: x * (1 + 1e-7), ""),
        (lambda x: x * 1.5, "values"),
        (lambda x: x.double(), "values"),
        (lambda x: x.detach() + 0 * x, "gradients"),
        (lambda x: x.reshape(7), "raised"),
    ],
)
def test_it_lives_by_what_it_does_otherwise(tail: Callable[[torch.Tensor], torch.Tensor], by: str) -> None:
    assert judge(Net(lambda x: x), Net(tail)) == by


def test_it_lives_by_its_calls() -> None:
    class Bypassing(Net):
        def forward(self, x: torch.Tensor) -> Any:
            return self.norm(self.fc.forward(x))

    assert judge(Net(lambda x: x), Bypassing(lambda x: x)) == "calls"


def test_it_lives_by_what_it_writes_into_its_input() -> None:
    class Writing(Net):
        def forward(self, x: torch.Tensor) -> Any:
            x.data.add_(1)
            return super().forward(x.detach() - 1)

    assert judge(Net(lambda x: x), Writing(lambda x: x)) == "values"
