"""Models that attend by PyTorch's own classes, and others of these that TorchSharp lacks or makes with fewer options."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Padded(nn.Module):
    """A text's classifier: an encoder that attends to no padding."""

    def __init__(self, width: int = 8, heads: int = 2) -> None:
        super().__init__()
        self.embed = nn.Embedding(7, width, padding_idx=0)
        layer = nn.TransformerEncoderLayer(width, heads, 16, batch_first=True, norm_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, 3)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        padding = ids == 0
        x = self.encoder(self.embed(ids), src_key_padding_mask=padding)
        kept = (~padding).unsqueeze(-1).float()
        return self.head((x * kept).sum(1) / kept.sum(1).clamp(min=1))


class Causal(nn.Module):
    """An encoder whose positions attend to none after them; and attention to both masks, of one tensor and of two."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        steps = x.shape[1]
        x = self.encoder(x, mask=nn.Transformer.generate_square_subsequent_mask(steps), is_causal=True)
        mask = torch.triu(torch.ones(steps, steps, dtype=torch.bool, device=x.device), diagonal=1)
        hidden = torch.arange(steps, device=x.device).expand(x.shape[0], steps) > 2
        y, weights = self.attention(x, x, x, key_padding_mask=hidden, attn_mask=mask)
        y, _ = self.attention(y, x + 1, x + 1, attn_mask=mask, need_weights=False)
        return y, weights


class Layers(nn.Module):
    """Layers without masks, for which PyTorch has a fused kernel; and a decoder that attends to another sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True) for _ in range(2))
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), 1)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.decoder(y, x)


class Whole(nn.Module):
    """nn.Transformer, whose decoder attends to what is before."""

    def __init__(self) -> None:
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.transformer(x, y, tgt_mask=self.transformer.generate_square_subsequent_mask(y.shape[1]))


class Scales(nn.Module):
    """Parameters in a list and in a dictionary, a loss that smooths, and a pooling that TorchSharp lacks."""

    def __init__(self) -> None:
        super().__init__()
        self.scales = nn.ParameterList([nn.Parameter(torch.randn(4)) for _ in range(3)])
        self.named = nn.ParameterDict({"first": nn.Parameter(torch.randn(4)), "last": nn.Parameter(torch.randn(4))})
        self.linears = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.pool = nn.LPPool1d(2, 2)
        self.loss = nn.CrossEntropyLoss(label_smoothing=0.1, reduction="sum")

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> Any:
        for number, linear in enumerate(self.linears):
            x = linear(x) * self.scales[number]
        for scale, linear in zip(self.scales, self.linears, strict=True):
            x = linear(x) - scale
        for scale in self.scales[1:]:
            x = x + scale
        for _name, scale in self.named.items():
            x = x * scale
        x = x * self.named["first"] * len(self.scales) + self.named.last
        return self.loss(x, labels), self.pool(x.unsqueeze(0))
