"""The PyTorch original of Seq2Seq.cs."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn


class Seq2Seq(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.encoder = SourceEncoder(vocabulary, width)
        self.bridge = StateBridge(width)
        self.decoder = TargetDecoder(vocabulary, width)

    def forward(self, source: torch.Tensor, target: torch.Tensor, mask: torch.Tensor) -> Any:
        memory, last = self.encoder(source)
        state = self.bridge(last, mask)
        return self.decoder(target, state, memory, mask)


class SourceEncoder(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.gru = nn.GRU(width, width, batch_first=True)

    def forward(self, source: torch.Tensor) -> Any:
        output, hidden = self.gru(self.embedding(source))
        return output, hidden[-1]


class StateBridge(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, last: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        share = mask.to(last.dtype).mean([1], keepdim=True)
        return torch.tanh(self.project(last * share))


class TargetDecoder(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.cell = nn.GRUCell(2 * width, width)
        self.attention = AdditiveAttention(width)
        self.output = nn.Linear(width, vocabulary)

    def forward(
        self, target: torch.Tensor, state: torch.Tensor, memory: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        embedded = self.embedding(target)
        logits = []
        for step in range(target.shape[1]):
            context = self.attention(state, memory, mask)
            state = self.cell(torch.cat((embedded.select(1, step), context), 1), state)
            logits.append(self.output(state))
        return torch.stack(logits, dim=1)


class AdditiveAttention(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.w_query = nn.Linear(width, width, bias=False)
        self.w_key = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, 1, bias=False)

    def forward(self, query: torch.Tensor, keys: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        scores = self.v(torch.tanh(self.w_query(query).unsqueeze(1) + self.w_key(keys))).squeeze(-1)
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
        result: torch.Tensor = scores.softmax(1).unsqueeze(1).bmm(keys).squeeze(1)
        return result
