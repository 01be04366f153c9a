"""The PyTorch original of Gpt.cs."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

Cache = tuple[torch.Tensor, torch.Tensor]


class Gpt(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, n_layer: int, n_head: int, n_embd: int, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList(GptBlock(n_head, n_embd, dropout) for _ in range(n_layer))
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight
        self.apply(self._init_weights)

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, ids: torch.Tensor, past: list[Cache] | None) -> Any:
        seen = 0 if past is None else past[0][0].shape[2]
        pos = torch.arange(seen, seen + ids.shape[1], dtype=torch.int64, device=ids.device)
        x = self.drop(self.wte(ids) + self.wpe(pos))
        present = []
        for index, block in enumerate(self.h):
            x, cache = block(x, None if past is None else past[index])
            present.append(cache)
        return self.lm_head(self.ln_f(x)), present


class GptBlock(nn.Module):
    def __init__(self, n_head: int, n_embd: int, dropout: float) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_head, n_embd)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = Mlp(n_embd, dropout)

    def forward(self, x: torch.Tensor, past: Cache | None) -> Any:
        attended, present = self.attn(self.ln_1(x), past)
        x = x + attended
        return x + self.mlp(self.ln_2(x)), present


class CausalSelfAttention(nn.Module):
    def __init__(self, n_head: int, n_embd: int) -> None:
        super().__init__()
        self.n_head, self.n_embd = n_head, n_embd
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x: torch.Tensor, past: Cache | None) -> Any:
        batch, length, width = x.shape
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q = q.view(batch, length, self.n_head, width // self.n_head).transpose(1, 2)
        k = k.view(batch, length, self.n_head, width // self.n_head).transpose(1, 2)
        v = v.view(batch, length, self.n_head, width // self.n_head).transpose(1, 2)
        if past is not None:
            k = torch.cat((past[0], k), dim=2)
            v = torch.cat((past[1], v), dim=2)
        total = k.shape[2]
        mask = torch.ones(length, total, dtype=torch.bool, device=x.device).tril(total - length)
        att = q.matmul(k.transpose(-2, -1)) * (1.0 / math.sqrt(width // self.n_head))
        att = att.masked_fill(mask.logical_not(), -math.inf)
        att = att.softmax(dim=-1)
        y = att.matmul(v).transpose(1, 2).contiguous().view(batch, length, width)
        return self.c_proj(y), (k, v)


class Mlp(nn.Module):
    def __init__(self, n_embd: int, dropout: float) -> None:
        super().__init__()
        self.c_fc = nn.Linear(n_embd, 4 * n_embd)
        self.gelu = nn.GELU(approximate="tanh")
        self.c_proj = nn.Linear(4 * n_embd, n_embd)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> Any:
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))
