"""More models as people write them: a cache of keys and values, experts that are chosen by value, results with names."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


class Attending(nn.Module):
    """Attends to what came before, too."""

    def __init__(self, dim: int, heads: int, longest: int) -> None:
        super().__init__()
        self.heads, self.width = heads, dim // heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.register_buffer("mask", torch.tril(torch.ones(longest, longest)).view(1, 1, longest, longest))

    def forward(
        self, x: torch.Tensor, cache: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        n, t, dim = x.shape
        q, k, v = (one.view(n, t, self.heads, self.width).transpose(1, 2) for one in self.qkv(x).chunk(3, dim=-1))
        if cache is not None:
            past_k, past_v = cache
            k, v = torch.cat([past_k, k], dim=2), torch.cat([past_v, v], dim=2)
        every = k.size(2)
        scores = q @ k.transpose(-2, -1) / self.width**0.5
        scores = scores.masked_fill(self.mask[:, :, every - t : every, :every] == 0, float("-inf"))
        y = (F.softmax(scores, dim=-1) @ v).transpose(1, 2).contiguous().view(n, t, dim)
        return self.out(y), (k, v)


class Block(nn.Module):
    def __init__(self, dim: int, heads: int, longest: int) -> None:
        super().__init__()
        self.norm, self.attn = nn.LayerNorm(dim), Attending(dim, heads, longest)

    def forward(
        self, x: torch.Tensor, cache: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor] | None]:
        a, cache = self.attn(self.norm(x), cache)
        return x + a, cache


class Generating(nn.Module):
    """Writes some tokens, each from those before, of which it keeps keys and values."""

    def __init__(self, vocabulary: int = 20, dim: int = 8, heads: int = 2, depth: int = 2, longest: int = 64) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(vocabulary, dim), nn.Embedding(longest, dim)
        self.blocks = nn.ModuleList([Block(dim, heads, longest) for _ in range(depth)])
        self.head = nn.Linear(dim, vocabulary)

    def step(
        self, ids: torch.Tensor, caches: list[tuple[torch.Tensor, torch.Tensor]] | None = None
    ) -> tuple[torch.Tensor, list[tuple[torch.Tensor, torch.Tensor]]]:
        past = 0 if caches is None else caches[0][0].size(2)
        x = self.token(ids) + self.place(torch.arange(past, past + ids.size(1), device=ids.device))
        new = []
        for number, block in enumerate(self.blocks):
            x, cache = block(x, None if caches is None else caches[number])
            new.append(cache)
        return self.head(x), new

    def forward(self, ids: torch.Tensor, steps: int = 3) -> tuple[torch.Tensor, torch.Tensor]:
        logits, caches = self.step(ids)
        for _ in range(steps):
            following = logits[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, following], dim=1)
            logits, caches = self.step(following, caches)
        return ids, logits


class Chosen(nn.Module):
    """Experts, of which each position has two; one that no position has is not run."""

    def __init__(self, dim: int = 8, experts: int = 3) -> None:
        super().__init__()
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(dim, dim), nn.SiLU()) for _ in range(experts)])
        self.gate = nn.Linear(dim, experts, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        flat = x.reshape(-1, x.shape[-1])
        weights, chosen = torch.topk(F.softmax(self.gate(flat), dim=-1), 2, dim=-1)
        out = torch.zeros_like(flat)
        for number, expert in enumerate(self.experts):
            rows, place = torch.where(chosen == number)
            if rows.numel() == 0:
                continue
            out.index_add_(0, rows, expert(flat[rows]) * weights[rows, place].unsqueeze(-1))
        if out.abs().max() > 1e6:
            out = out / out.abs().max()
        return out.view_as(x)


@dataclass
class Found:
    boxes: torch.Tensor
    scores: torch.Tensor
    features: torch.Tensor | None = None


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.box, self.score = nn.Conv2d(4, 8, 1), nn.Conv2d(4, 2, 1)

    def forward(self, x: torch.Tensor) -> Found:
        return Found(boxes=self.box(x).flatten(2), scores=self.score(x).sigmoid())


class Detecting(nn.Module):
    """A part's result has names, and so has its own."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.heads = nn.Conv2d(3, 4, 3, padding=1), Heads()

    def forward(self, x: torch.Tensor) -> Found:
        features = self.body(x)
        found = self.heads(features)
        if found.features is not None:
            features = found.features
        return Found(found.boxes * 2, found.scores, features)
