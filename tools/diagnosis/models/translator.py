"""The PyTorch original of Translator.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Translator(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.reader = Reader(vocabulary, width)
        self.writer = Writer(vocabulary, width)

    def forward(self, source: torch.Tensor, target: torch.Tensor, real: torch.Tensor) -> Any:
        read, state = self.reader(source, real)
        return self.writer(target, read, state, real)


class Reader(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width, padding_idx=0)
        self.dropout = nn.Dropout(0.1)
        self.gru = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.joined = nn.Linear(2 * width, width)

    def forward(self, source: torch.Tensor, real: torch.Tensor) -> Any:
        embedded = self.dropout(self.words(source))
        states, last = self.gru(embedded)
        states = states * real.unsqueeze(-1).float()
        both = torch.cat((last[0], last[1]), dim=1)
        return states, self.joined(both).tanh()


class Looking(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(2 * width, width, bias=False)
        self.score = nn.Linear(width, 1, bias=False)

    def forward(self, state: torch.Tensor, read: torch.Tensor, real: torch.Tensor) -> Any:
        energy = (self.query(state).unsqueeze(1) + self.key(read)).tanh()
        scores = self.score(energy).squeeze(-1)
        scores = scores.masked_fill(real.logical_not(), -1e9)
        shares = scores.softmax(dim=1)
        context = shares.unsqueeze(1).bmm(read).squeeze(1)
        return context, shares


class Writer(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.looking = Looking(width)
        self.cell = nn.GRUCell(3 * width, width)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(3 * width, vocabulary)

    def forward(self, target: torch.Tensor, read: torch.Tensor, state: torch.Tensor, real: torch.Tensor) -> Any:
        embedded = self.words(target)
        outputs, looked = [], []
        for step in range(target.shape[1]):
            word = embedded[:, step]
            context, shares = self.looking(state, read, real)
            state = self.cell(torch.cat((word, context), dim=-1), state)
            known = self.norm(state)
            outputs.append(self.head(torch.cat((known, context), dim=-1)))
            looked.append(shares)
        return torch.stack(outputs, dim=1), torch.stack(looked, dim=1)
