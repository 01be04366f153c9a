"""The PyTorch originals of Regressor.cs and Training.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin1 = nn.Linear(6, 12)
        self.lin2 = nn.Linear(12, 1)
        self.norm = nn.BatchNorm1d(12)

    def forward(self, input: torch.Tensor) -> Any:
        return self.lin2(nn.functional.relu(self.norm(self.lin1(input))))


def fit(epochs: int, batches: int) -> Regressor:
    """Train a network for some epochs on data drawn from torch's generator, and return it."""
    model = Regressor()
    x = torch.randn(16 * batches, 6)
    y = x.sum(1, keepdim=True).sin()
    loss = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-3, foreach=False)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    model.train()
    for _ in range(epochs):
        for index in range(batches):
            prediction = model(x.narrow(0, 16 * index, 16))
            output = loss(prediction, y.narrow(0, 16 * index, 16))
            optimizer.zero_grad()
            output.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        scheduler.step()
    return model
