"""The PyTorch original of Rotary.cs."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, vocabulary: int, width: int, heads: int, groups: int) -> None:
        super().__init__()
        self.size = width // heads
        self.words = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(RotaryBlock(width, heads, groups) for _ in range(2))
        self.norm = RootNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def angles(self, length: int) -> tuple[torch.Tensor, torch.Tensor]:
        powers = torch.arange(0, self.size, 2, dtype=torch.float32) / self.size
        speeds = 1.0 / torch.pow(10000.0, powers)
        angles = torch.outer(torch.arange(length, dtype=torch.float32), speeds)
        both = torch.cat((angles, angles), dim=-1)
        return both.cos(), both.sin()

    def forward(self, ids: torch.Tensor) -> Any:
        length = ids.shape[1]
        cosines, sines = self.angles(length)
        mask = torch.full((length, length), -math.inf).triu(1)
        x = self.words(ids)
        for block in self.blocks:
            x = block(x, cosines, sines, mask)
        return self.head(self.norm(x))


class RootNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> Any:
        square = x.pow(2).mean(-1, keepdim=True)
        return x * (square + self.eps).rsqrt() * self.weight


class RotaryBlock(nn.Module):
    def __init__(self, width: int, heads: int, groups: int) -> None:
        super().__init__()
        self.before = RootNorm(width)
        self.attention = RotaryAttention(width, heads, groups)
        self.between = RootNorm(width, eps=1e-6)
        self.feed = Gated(width, 2 * width)

    def forward(self, x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor, mask: torch.Tensor) -> Any:
        h = x + self.attention(self.before(x), cosines, sines, mask)
        return h + self.feed(self.between(h))


class RotaryAttention(nn.Module):
    def __init__(self, width: int, heads: int, groups: int) -> None:
        super().__init__()
        self.heads, self.groups = heads, groups
        self.wq = nn.Linear(width, width, bias=False)
        self.wk = nn.Linear(width, width // heads * groups, bias=False)
        self.wv = nn.Linear(width, width // heads * groups, bias=False)
        self.wo = nn.Linear(width, width, bias=False)

    @staticmethod
    def swapped(x: torch.Tensor) -> torch.Tensor:
        left, right = x.chunk(2, dim=-1)
        return torch.cat((-right, left), dim=-1)

    def turned(self, x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
        return x * cosines + self.swapped(x) * sines

    @staticmethod
    def split(x: torch.Tensor, count: int) -> torch.Tensor:
        return x.view(x.shape[0], x.shape[1], count, -1).transpose(1, 2)

    def forward(self, x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor, mask: torch.Tensor) -> Any:
        batch, length = x.shape[:2]
        q = self.turned(self.split(self.wq(x), self.heads), cosines, sines)
        k = self.turned(self.split(self.wk(x), self.groups), cosines, sines)
        v = self.split(self.wv(x), self.groups)
        k = k.repeat_interleave(self.heads // self.groups, dim=1)
        v = v.repeat_interleave(self.heads // self.groups, dim=1)
        scores = q.matmul(k.transpose(2, 3)) / math.sqrt(q.shape[3])
        scores = scores + mask
        shares = scores.softmax(dim=-1)
        mixed = shares.matmul(v)
        return self.wo(mixed.transpose(1, 2).contiguous().view(batch, length, -1))


class Gated(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: torch.Tensor) -> Any:
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))
