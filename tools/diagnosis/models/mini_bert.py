"""The PyTorch original of MiniBert.cs."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn


class MiniBert(nn.Module):
    def __init__(self, vocabulary: int, width: int, heads: int) -> None:
        super().__init__()
        self.embeddings = Embeddings(vocabulary, width)
        self.layers = nn.ModuleList([Layer(width, heads), Layer(width, heads)])
        self.pooler = nn.Linear(width, width)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> Any:
        bias = (1.0 - mask.unsqueeze(1).unsqueeze(2).to(torch.float32)) * -10000.0
        hidden = self.embeddings(ids)
        for layer in self.layers:
            hidden = layer(hidden, bias)
        first = hidden.select(1, 0)
        return hidden, self.pooler(first).tanh()


class Embeddings(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width, padding_idx=0)
        self.places = nn.Embedding(16, width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids: torch.Tensor) -> Any:
        positions = torch.arange(ids.shape[1], dtype=torch.int64, device=ids.device)
        x = self.words(ids) + self.kinds(torch.zeros_like(ids))
        x = x + self.places(positions).unsqueeze(0)
        return self.dropout(self.norm(x))


class Layer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.dense = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.intermediate = nn.Linear(width, 2 * width)
        self.output = nn.Linear(2 * width, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> Any:
        attended = self.dropout(self.dense(self.attention(x, bias)))
        x = self.norm1(attended + x)
        inner = nn.functional.gelu(self.intermediate(x))
        inner = self.dropout(self.output(inner))
        return self.norm2(inner + x)


class SelfAttention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.2)

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.shape[0], x.shape[1], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> Any:
        q = self._split(self.query(x))
        k = self._split(self.key(x))
        v = self._split(self.value(x))
        scores = q.matmul(k.transpose(-1, -2)) / math.sqrt(q.shape[3])
        scores = scores + bias
        weights = self.dropout(nn.functional.softmax(scores, dim=-1))
        context = weights.matmul(v).permute(0, 2, 1, 3).contiguous()
        return context.view(x.shape[0], x.shape[1], -1)
