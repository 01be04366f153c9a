"""The PyTorch originals of ``Text.cs``, and ResNet-18 with an addition that is not in place, as in its C#."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from bridge.samples import resnet


class Tagger(nn.Module):
    """A tag for each word of a sentence, by a bidirectional LSTM. Input: int64 [n, length]. Result: [n, length, 5]."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.lstm = nn.LSTM(16, 12, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.2)
        self.tag = nn.Linear(24, 5)

    def forward(self, input: Tensor) -> Tensor:
        return self.tag(self.dropout(self.lstm(self.embedding(input))[0]))


class Gpt(nn.Module):
    """A GPT whose output layer has the weight of its embedding. Input: int64 [n, length]. Result: [n, length, 50]."""

    def __init__(self) -> None:
        super().__init__()
        self.wte = nn.Embedding(50, 32)
        self.wpe = nn.Embedding(32, 32)
        self.drop = nn.Dropout(0.1)
        self.h = nn.ModuleList([Block(), Block()])
        self.ln_f = nn.LayerNorm(32)
        self.lm_head = nn.Linear(32, 50, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, input: Tensor) -> Tensor:
        positions = torch.arange(input.shape[1], device=input.device).expand_as(input)
        x = self.drop(self.wte(input) + self.wpe(positions))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class Block(nn.Module):
    """Attention and a feed-forward layer, each after a norm. Input and result: [n, length, 32]."""

    def __init__(self) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(32)
        self.attn = Attention()
        self.ln_2 = nn.LayerNorm(32)
        self.mlp = Mlp()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Attention(nn.Module):
    """Causal self-attention with four heads. Input and result: [n, length, 32]."""

    def __init__(self) -> None:
        super().__init__()
        self.c_attn = nn.Linear(32, 96)
        self.c_proj = nn.Linear(32, 32)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.c_attn(x).unflatten(-1, (3, 4, -1)).transpose(1, 3).unbind(2)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    """A feed-forward layer, four times as wide inside. Input and result: [n, length, 32]."""

    def __init__(self) -> None:
        super().__init__()
        self.c_fc = nn.Linear(32, 128)
        self.gelu = nn.GELU()
        self.c_proj = nn.Linear(128, 32)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))


class BasicBlock(resnet.BasicBlock):
    """A block that adds as its C# does: ``x += y`` makes a new tensor there. PyTorch's backward hooks refuse the one in place."""

    def forward(self, x: Tensor) -> Tensor:
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


def resnet18() -> nn.Module:
    """Make a classifier of images. Input: float32 [n, 3, h, w]. Result: [n, 10]."""
    model = resnet.ResNet18(10)
    for child in model.modules():
        if isinstance(child, resnet.BasicBlock):
            child.__class__ = BasicBlock
    return model
