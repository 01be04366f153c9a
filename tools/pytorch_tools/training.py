"""A few steps of training, as most checks take them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pytorch_tools.cases import Case


def steps(model: nn.Module, case: Case, count: int = 3) -> list[Tensor]:
    """Return the losses of ``count`` steps of AdamW in train mode."""
    model.train()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.01)
    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        loss = case.loss(model(case.inputs(4)), case.targets(4))
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses
