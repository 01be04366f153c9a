"""The PyTorch original of TextEncoder.cs."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn


class TextEncoder(nn.Module):
    def __init__(
        self, ntokens: int, ninputs: int, nheads: int, nhidden: int, nlayers: int, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.encoder = nn.Embedding(ntokens, ninputs)
        self.pos_encoder = PositionalEncoding(ninputs, dropout)
        layer = nn.TransformerEncoderLayer(ninputs, nheads, nhidden, dropout, activation="gelu")
        self.transformer_encoder = nn.TransformerEncoder(layer, nlayers, enable_nested_tensor=False)
        self.pool = nn.MultiheadAttention(ninputs, nheads)
        self.query = nn.Parameter(torch.randn(1, 1, ninputs) * 0.02)
        self.decoder = nn.Linear(ninputs, 3)
        self.scale = math.sqrt(ninputs)
        self.init_weights()

    def init_weights(self) -> None:
        initrange = 0.1
        nn.init.uniform_(self.encoder.weight, -initrange, initrange)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -initrange, initrange)

    def forward(self, src: torch.Tensor, src_mask: torch.Tensor) -> Any:
        x = self.pos_encoder(self.encoder(src) * self.scale)
        x = self.transformer_encoder(x, src_mask)
        pooled, _ = self.pool(self.query.expand(1, x.shape[1], -1), x, x)
        return self.decoder(pooled.squeeze(0))


class PositionalEncoding(nn.Module):
    pe: torch.Tensor

    def __init__(self, dmodel: int, dropout: float, max_len: int = 64) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        pe = torch.zeros(max_len, dmodel)
        position = torch.arange(0, max_len, 1, dtype=torch.float32).unsqueeze(1)
        div_term = (torch.arange(0, dmodel, 2, dtype=torch.float32) * (-math.log(10000.0) / dmodel)).exp()
        pe[:, 0::2] = (position * div_term).sin()
        pe[:, 1::2] = (position * div_term).cos()
        self.register_buffer("pe", pe.unsqueeze(0).transpose(0, 1))

    def forward(self, x: torch.Tensor) -> Any:
        return self.dropout(x + self.pe[: len(x), :])
