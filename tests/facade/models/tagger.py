"""The PyTorch original of Tagger.cs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocabulary: int, embedding: int, hidden: int, tags: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, embedding, padding_idx=0)
        self.lstm = nn.LSTM(embedding, hidden, num_layers=2, batch_first=True, dropout=0.1, bidirectional=True)
        self.dropout = nn.Dropout(0.2)
        self.hidden2tag = nn.Linear(2 * hidden, tags)

    def forward(self, sentence: torch.Tensor) -> Any:
        embeds = self.word_embeddings(sentence)
        output, (hidden, cell) = self.lstm(embeds)
        output, (hidden, cell) = self.lstm(self.dropout(embeds), (hidden, cell))
        return nn.functional.log_softmax(self.hidden2tag(output), -1), hidden
