"""More models as people write them.

A cache of keys and values, experts that are chosen by value, results with names, functions as settings, statistics of its own, tensors
that are no buffers.
"""

from __future__ import annotations

from collections.abc import Callable
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


class Convolution(nn.Module):
    """What it is followed by is a function that it is given."""

    def __init__(self, width: int, act: Callable[[torch.Tensor], torch.Tensor] = F.relu) -> None:
        super().__init__()
        self.conv, self.act = nn.Conv1d(width, 4, 1), act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.act(self.conv(x))


class Running(nn.Module):
    """Normalizes by what it saw in train mode."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width, 1))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            with torch.no_grad():
                self.mean.mul_(0.9).add_(0.1 * x.mean((0, 2)).unsqueeze(-1))
                self.count += 1
        with torch.autocast("cpu", enabled=False):
            y = x - self.mean
        return y * 2


def turns(width: int, longest: int) -> torch.Tensor:
    """Return a complex number for each place and pair."""
    angles = torch.outer(torch.arange(longest).float(), 100.0 ** (-torch.arange(0, width, 2).float() / width))
    return torch.polar(torch.ones_like(angles), angles)


class Turning(nn.Module):
    """Three convolutions, and a turn by what is neither a parameter nor a buffer."""

    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.first, self.second = Convolution(3), Convolution(width, act=F.gelu)
        self.last, self.norm = Convolution(width, torch.tanh), Running(width)
        self.turns = turns(width, 128)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.last(self.second(self.first(x)))).transpose(1, 2)
        pairs = torch.view_as_complex(x.contiguous().view(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * self.turns[: x.shape[1]]).flatten(2)


class Spectral(nn.Module):
    """Mixes frequencies, drops whole examples in train mode, and measures distances to means by label."""

    def __init__(self, modes: int = 3, rate: float = 0.25) -> None:
        super().__init__()
        self.modes, self.rate = modes, rate
        self.weight = nn.Parameter(torch.randn(2, 2, modes, dtype=torch.cfloat) * 0.1)

    def drop(self, x: torch.Tensor) -> torch.Tensor:
        if self.rate == 0.0 or not self.training:
            return x
        kept = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(1 - self.rate)
        return x.div(1 - self.rate) * kept

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        frequencies = torch.fft.rfft(x)
        mixed = torch.zeros_like(frequencies)
        mixed[:, :, : self.modes] = torch.einsum("bix,iox->box", frequencies[:, :, : self.modes], self.weight)
        x = x + self.drop(torch.fft.irfft(mixed, n=x.size(-1)))
        means = torch.stack([x[labels == label].mean(0) for label in range(2)])
        apart = torch.linalg.norm(x.unsqueeze(1) - means, dim=-1)
        return x, apart


class Tuned(nn.Module):
    """Of what it has, only the head's weight is trained."""

    def __init__(self) -> None:
        super().__init__()
        self.shift = nn.Parameter(torch.ones(4), requires_grad=False)
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
        self.head = nn.Linear(4, 2)
        self.head.bias.requires_grad_(False)
        for parameter in self.body.parameters():
            parameter.requires_grad = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x + self.shift))
