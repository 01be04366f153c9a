"""The PyTorch original of Captioner.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

Kept = tuple[torch.Tensor, torch.Tensor]


class Captioner(nn.Module):
    def __init__(self, vocabulary: int, width: int, heads: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 3, stride=3)
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(torch.randn(1, 12, width) * 0.1)
        self.self = Attending(width, heads)
        self.cross = Attending(width, heads)
        self.norm = nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, image: torch.Tensor, ids: torch.Tensor, past: Kept | None) -> Any:
        seen = self.patches(image).flatten(2).transpose(1, 2)
        start = 0 if past is None else past[0].shape[2]
        length = ids.shape[1]
        x = self.words(ids) + self.places.narrow(1, start, length)
        before = torch.arange(start + length)[None] <= torch.arange(start, start + length)[:, None]
        own, keys, values = self.self(self.norm(x), None, past, before)
        x = x + self.dropout(own)
        other, _, _ = self.cross(self.norm(x), seen, None, None)
        x = x + self.dropout(other)
        x = x + self.dropout(self.feed(self.norm(x)))
        return self.head(x), (keys, values)


class Attending(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor | None, past: Kept | None, allowed: torch.Tensor | None
    ) -> Any:
        looked = x if memory is None else memory
        q = self.split(self.query(x))
        k = self.split(self.key(looked))
        v = self.split(self.value(looked))
        if past is not None:
            k = torch.cat((past[0], k), 2)
            v = torch.cat((past[1], v), 2)
        scores = q.matmul(k.mT) * q.shape[3] ** -0.5
        if allowed is not None:
            scores = torch.where(allowed, scores, torch.full_like(scores, -1e4))
        weights = (scores - scores.amax(-1, keepdim=True)).exp()
        weights = weights / weights.sum(-1, keepdim=True)
        return self.output(weights.matmul(v).transpose(1, 2).flatten(2)), k, v
