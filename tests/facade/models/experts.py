"""The PyTorch original of Experts.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, width: int, count: int) -> None:
        super().__init__()
        self.top_k = 2
        self.gate = nn.Linear(width, count, bias=False)
        self.experts = nn.ModuleList(Expert(width, 2 * width) for _ in range(count))
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.Identity()])

    def forward(self, x: torch.Tensor) -> Any:
        normed = self.norms[0](x)
        router_logits = self.gate(normed)
        weights, chosen = router_logits.softmax(dim=-1).topk(self.top_k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        result = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            share = (weights * (chosen == index).to(weights.dtype)).sum(dim=-1, keepdim=True)
            result = result + share * expert(normed)
        return self.norms[1](x + result), router_logits


class Expert(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.w1 = nn.Linear(width, hidden, bias=False)
        self.w2 = nn.Linear(hidden, width, bias=False)
        self.w3 = nn.Linear(width, hidden, bias=False)
        self.act = nn.SiLU()

    def forward(self, x: torch.Tensor) -> Any:
        return self.w2(self.act(self.w1(x)) * self.w3(x))
