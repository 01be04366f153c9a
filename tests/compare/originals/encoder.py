"""Another original of Bert.cs, written as libraries of such models write them: keyword arguments, many defaults, results by name."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import nn


@dataclass
class Named(OrderedDict[str, Any]):
    """A result that is a dataclass and a dictionary of what is not None, with attributes."""

    last_hidden_state: torch.Tensor | None = None
    pooler_output: torch.Tensor | None = None
    hidden_states: tuple[torch.Tensor, ...] | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            if (value := getattr(self, item.name)) is not None:
                self[item.name] = value


class Embeddings(nn.Module):
    def __init__(self, vocabulary: int, width: int, dropout: float) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, width, padding_idx=0)
        self.position_embeddings = nn.Embedding(40, width)
        self.token_type_embeddings = nn.Embedding(2, width)
        self.LayerNorm = nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("position_ids", torch.arange(40)[None], persistent=False)

    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        past_length: int = 0,
    ) -> torch.Tensor:
        assert input_ids is not None
        positions = self.position_ids[:, past_length : past_length + input_ids.shape[1]]
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        embedded = self.word_embeddings(input_ids) + self.token_type_embeddings(types)
        return self.dropout(self.LayerNorm(embedded + self.position_embeddings(positions)))


class SelfAttention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden_states: torch.Tensor, attention_mask: torch.Tensor | None = None, past: Any = None, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        batch, length, width = hidden_states.shape
        queries, keys, values = (
            layer(hidden_states).view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        dropout = self.dropout.p if self.training else 0.0
        attended = nn.functional.scaled_dot_product_attention(queries, keys, values, attention_mask, dropout)
        weights = queries @ keys.transpose(2, 3) if kwargs.get("output_attentions") else None
        return attended.transpose(1, 2).reshape(batch, length, width), weights


class Output(nn.Module):
    def __init__(self, inner: int, width: int, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(inner, width)
        self.LayerNorm = nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden_states: torch.Tensor, input_tensor: torch.Tensor) -> torch.Tensor:
        return self.LayerNorm(self.dropout(self.dense(hidden_states)) + input_tensor)


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.self = SelfAttention(width, heads, dropout)
        self.output = Output(width, width, dropout)

    def forward(
        self, hidden_states: torch.Tensor, attention_mask: torch.Tensor | None = None, past: Any = None, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        attended, weights = self.self(hidden_states, attention_mask=attention_mask, past=past, **kwargs)
        return self.output(attended, hidden_states), weights


class Intermediate(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, inner)
        self.intermediate_act_fn = nn.GELU()

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        return self.intermediate_act_fn(self.dense(hidden_states))


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(width, heads, dropout)
        self.intermediate = Intermediate(width, inner)
        self.output = Output(inner, width, dropout)

    def forward(
        self, hidden_states: torch.Tensor, attention_mask: torch.Tensor | None = None, past: Any = None, **kwargs: Any
    ) -> torch.Tensor:
        attended, _ = self.attention(hidden_states, attention_mask, past=past, **kwargs)
        return self.output(self.intermediate(attended), attended)


class Encoder(nn.Module):
    def __init__(self, layers: int, width: int, heads: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer(width, heads, inner, dropout) for _ in range(layers))

    def forward(
        self,
        hidden_states: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        use_cache: bool | None = None,
        **kwargs: Any,
    ) -> Named:
        for layer in self.layer:
            hidden_states = layer(hidden_states, attention_mask, past=None, **kwargs)
        return Named(last_hidden_state=hidden_states)


class Pooler(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.activation = nn.Tanh()

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        return self.activation(self.dense(hidden_states[:, 0]))


class Model(nn.Module):
    """``attentions`` makes each attention return its weights too, which the C# one never does."""

    def __init__(self, pooler: bool = True, attentions: bool = False, dropout: float = 0.1) -> None:
        super().__init__()
        self.attentions = attentions
        self.embeddings = Embeddings(97, 32, dropout)
        self.encoder = Encoder(2, 32, 4, 64, dropout)
        self.pooler = Pooler(32) if pooler else None

    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        use_cache: bool | None = None,
        **kwargs: Any,
    ) -> Named:
        embedded = self.embeddings(input_ids=input_ids, inputs_embeds=inputs_embeds, token_type_ids=token_type_ids)
        mask = (
            None
            if attention_mask is None
            else attention_mask.bool()[:, None, None].expand(-1, 1, attention_mask.shape[1], -1)
        )
        if self.attentions:
            kwargs["output_attentions"] = True
        encoded = self.encoder(embedded, attention_mask=mask, use_cache=False, position_ids=None, **kwargs)
        hidden = encoded.last_hidden_state
        pooled = None if self.pooler is None else self.pooler(hidden)
        return Named(hidden, pooled, (embedded, hidden) if kwargs.get("output_hidden_states") else None)
