"""porting.py: what stands beside and above statements stays there."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # The batch stays,
        # the rest is one dimension.
        x = x.flatten(1)  # [n, c * h * w]
        # TorchScript and mypy are Python's.
        x = torch.relu(x)

        # Apart from what follows.

        for _ in range(2):  # twice
            # Each time.
            x = x + 1
        if x is None:
            # Never.
            return x
        return x  # [n, c * h * w]


def test_comments_stand_where_they_stood(lines: Callable[..., list[str]]) -> None:
    found = lines(Net, torch.rand(1, 2, 3))
    assert found == [
        "// The batch stays,",
        "// the rest is one dimension.",
        "x = x.flatten(1); // [n, c * h * w]",
        "x = F.relu(x);",
        "// twice",
        "for (long i = 0; i < 2; i++)",
        "{",
        "// Each time.",
        "x = x + 1;",
        "}",
        "return x; // [n, c * h * w]",
    ]
