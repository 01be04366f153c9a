"""The PyTorch originals: of Text.cs, and of the samples' ResNet-18 with C#'s addition, which is not in place."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from bridge.samples import resnet


class Tagger(nn.Module):
    """A tag for each word of a sentence, by a bidirectional LSTM. Input: int64 [n, length]. Result: [n, length, tags]."""

    def __init__(self, words: int = 50, width: int = 16, hidden: int = 12, tags: int = 5, p: float = 0.2) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(p)
        self.tag = nn.Linear(2 * hidden, tags)

    def forward(self, input: Tensor) -> Tensor:
        output, _ = self.lstm(self.embedding(input))
        scores: Tensor = self.tag(self.dropout(output))
        return scores


class Gpt(nn.Module):
    """A GPT whose output layer has the weight of its embedding. Input: int64 [n, length]. Result: [n, length, words]."""

    def __init__(
        self, words: int = 50, context: int = 32, layers: int = 2, heads: int = 4, width: int = 32, p: float = 0.1
    ) -> None:
        super().__init__()
        self.wte = nn.Embedding(words, width)
        self.wpe = nn.Embedding(context, width)
        self.drop = nn.Dropout(p)
        self.h = nn.ModuleList([Block(heads, width, p) for _ in range(layers)])
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, words, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, input: Tensor) -> Tensor:
        positions = torch.arange(input.shape[1], device=input.device).expand_as(input)
        x = self.drop(self.wte(input) + self.wpe(positions))
        for block in self.h:
            x = block(x)
        scores: Tensor = self.lm_head(self.ln_f(x))
        return scores


class Block(nn.Module):
    """Attention and a feed-forward layer, each after a norm. Input and result: [n, length, width]."""

    def __init__(self, heads: int, width: int, p: float) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = Attention(heads, width)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = Mlp(width, p)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        result: Tensor = x + self.mlp(self.ln_2(x))
        return result


class Attention(nn.Module):
    """Each word attends to those before it and to itself. Input and result: [n, length, width]."""

    def __init__(self, heads: int, width: int) -> None:
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.c_attn(x).unflatten(-1, (3, self.heads, -1)).transpose(1, 3).unbind(2)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        result: Tensor = self.c_proj(y.transpose(1, 2).flatten(2))
        return result


class Mlp(nn.Module):
    """Four times as wide inside. Input and result: [n, length, width]."""

    def __init__(self, width: int, p: float) -> None:
        super().__init__()
        self.c_fc = nn.Linear(width, 4 * width)
        self.gelu = nn.GELU()
        self.c_proj = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(p)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.dropout(self.c_proj(self.gelu(self.c_fc(x))))
        return result


class BasicBlock(resnet.BasicBlock):
    """A block that adds as its C# does: ``x += y`` makes a new tensor there. PyTorch's backward hooks refuse the one in place."""

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out = out + (x if self.downsample is None else self.downsample(x))
        result: Tensor = self.relu(out)
        return result


def resnet18(classes: int) -> nn.Module:
    """Classify pictures. Input: float32 [n, 3, h, w]. Result: [n, classes]."""
    model = resnet.ResNet18(classes)
    for child in model.modules():
        if isinstance(child, resnet.BasicBlock):
            child.__class__ = BasicBlock
    return model
