"""The PyTorch original of Llama.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Llama(nn.Module):
    def __init__(self, vocabulary: int, width: int, heads: int, key_value_heads: int) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(vocabulary, width)
        self.layer = LlamaBlock(width, heads, key_value_heads, context=32)
        self.norm = RMSNorm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids: torch.Tensor) -> Any:
        hidden = self.embed_tokens(ids)
        hidden = self.layer(hidden, 0)
        return self.lm_head(self.norm(hidden))


class LlamaBlock(nn.Module):
    def __init__(self, width: int, heads: int, key_value_heads: int, context: int) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(width)
        self.self_attn = RotaryAttention(width, heads, key_value_heads, context)
        self.post_attention_layernorm = RMSNorm(width)
        self.mlp = FeedForward(width, 2 * width)

    def forward(self, x: torch.Tensor, start: int) -> Any:
        x = x + self.self_attn(self.input_layernorm(x), start)
        return x + self.mlp(self.post_attention_layernorm(x))


class RotaryAttention(nn.Module):
    cos: torch.Tensor
    sin: torch.Tensor

    def __init__(self, width: int, heads: int, key_value_heads: int, context: int) -> None:
        super().__init__()
        self.heads, self.key_value_heads, self.size = heads, key_value_heads, width // heads
        self.q_proj = nn.Linear(width, heads * self.size, bias=False)
        self.k_proj = nn.Linear(width, key_value_heads * self.size, bias=False)
        self.v_proj = nn.Linear(width, key_value_heads * self.size, bias=False)
        self.o_proj = nn.Linear(heads * self.size, width, bias=False)
        frequencies = 1.0 / torch.pow(10000.0, torch.arange(0, self.size, 2, dtype=torch.float32) / self.size)
        angles = torch.outer(torch.arange(context, dtype=torch.float32), frequencies)
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x: torch.Tensor, start: int) -> Any:
        batch, length = x.shape[:2]
        q = self.q_proj(x).view(batch, length, self.heads, self.size).transpose(1, 2)
        k = self.k_proj(x).view(batch, length, self.key_value_heads, self.size).transpose(1, 2)
        v = self.v_proj(x).view(batch, length, self.key_value_heads, self.size).transpose(1, 2)
        cos = self.cos.narrow(0, start, length)
        sin = self.sin.narrow(0, start, length)
        q = q * cos + _rotate_half(q) * sin
        k = k * cos + _rotate_half(k) * sin
        groups = self.heads // self.key_value_heads
        k = k.repeat_interleave(groups, dim=1)
        v = v.repeat_interleave(groups, dim=1)
        attended = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(attended.transpose(1, 2).reshape(batch, length, -1))


def _rotate_half(x: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, dim=-1)
    return torch.cat((-right, left), dim=-1)


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        single = x.to(torch.float32)
        variance = single.pow(2).mean([-1], keepdim=True)
        return self.weight * (single * torch.rsqrt(variance + self.eps)).type_as(x)


class FeedForward(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(width, hidden, bias=False)
        self.up_proj = nn.Linear(width, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, width, bias=False)

    def forward(self, x: torch.Tensor) -> Any:
        return self.down_proj(nn.functional.silu(self.gate_proj(x)) * self.up_proj(x))
