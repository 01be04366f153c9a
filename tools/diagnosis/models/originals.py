"""The PyTorch originals of the C# ports in this folder."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

Cache = tuple[Tensor, Tensor]


def _split(x: Tensor, heads: int) -> Tensor:
    return x.view(*x.shape[:2], heads, -1).transpose(1, 2)


def _rotate(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    left, right = x.chunk(2, dim=-1)
    return x * cosines + torch.cat((-right, left), dim=-1) * sines


class Plates(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(6)
        self.act1 = nn.PReLU(6)
        self.pool1 = nn.MaxPool2d(2, stride=2)
        self.conv2 = nn.Conv2d(6, 6, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(6, eps=1e-3, momentum=0.05)
        self.act2 = nn.LeakyReLU(0.1)
        self.pool2 = nn.AvgPool2d(2, padding=1, count_include_pad=False)
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(96, 12)
        self.fc2 = nn.Linear(12, 5)

    def _standardized(self, x: Tensor) -> Tensor:
        mean = x.mean((2, 3), keepdim=True)
        variance = x.var((2, 3), unbiased=False, keepdim=True)
        return (x - mean) / (variance + 0.001).sqrt()

    def forward(self, x: Tensor) -> Tensor:
        x = self._standardized(x)
        x = self.act1(self.norm1(self.conv1(x)))
        x = self.pool1(x)
        x = nn.functional.pad(x, (1, 0, 0, 1))
        x = self.act2(self.norm2(self.conv2(x)))
        x = self.pool2(x)
        x = self.dropout(x.flatten(1))
        x = self.fc1(x).relu()
        return nn.functional.log_softmax(self.fc2(x), dim=1)


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(8)
        self.relu = nn.ReLU()
        self.stages = nn.ModuleList([Block(8, 8, 1), Block(8, 16, 2), Block(16, 16, 1)])
        self.head = nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Any:
        x = self.relu(self.stem_norm(self.stem(x)))
        for block in self.stages:
            x = block(x)
        x = x.mean((2, 3))
        return self.head(x) * 0.5


class Block(nn.Module):
    def __init__(self, inplanes: int, planes: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(planes)
        self.gate = Gate(planes)
        self.downsample: nn.Sequential | None = None
        if stride != 1 or inplanes != planes:
            self.downsample = nn.Sequential(
                nn.Conv2d(inplanes, planes, 1, stride=stride, bias=False), nn.BatchNorm2d(planes)
            )

    def forward(self, x: Tensor) -> Any:
        identity = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        y = self.gate(y)
        y = y + identity
        return self.relu(y)


class Gate(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.reduce = nn.Conv2d(channels, channels // 4, 1)
        self.expand = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x: Tensor) -> Any:
        scale = nn.functional.adaptive_avg_pool2d(x, 1)
        scale = nn.functional.silu(self.reduce(scale))
        scale = self.expand(scale).sigmoid()
        return x * scale


class MiniBert(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embeddings = Embeddings()
        self.layers = nn.ModuleList([Layer(), Layer()])
        self.pooler = nn.Linear(8, 8)

    def forward(self, ids: Tensor, mask: Tensor) -> Any:
        bias = (1.0 - mask.unsqueeze(1).unsqueeze(2).to(torch.float32)) * -10000.0
        hidden = self.embeddings(ids)
        for layer in self.layers:
            hidden = layer(hidden, bias)
        first = hidden.select(1, 0)
        return hidden, self.pooler(first).tanh()


class Embeddings(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 8, padding_idx=0)
        self.places = nn.Embedding(16, 8)
        self.kinds = nn.Embedding(2, 8)
        self.norm = nn.LayerNorm(8, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids: Tensor) -> Any:
        positions = torch.arange(ids.shape[1], dtype=torch.int64, device=ids.device)
        x = self.words(ids) + self.kinds(torch.zeros_like(ids))
        x = x + self.places(positions).unsqueeze(0)
        return self.dropout(self.norm(x))


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = SelfAttention()
        self.dense = nn.Linear(8, 8)
        self.norm1 = nn.LayerNorm(8, eps=1e-12)
        self.intermediate = nn.Linear(8, 16)
        self.output = nn.Linear(16, 8)
        self.norm2 = nn.LayerNorm(8, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor, bias: Tensor) -> Any:
        attended = self.dropout(self.dense(self.attention(x, bias)))
        x = self.norm1(attended + x)
        inner = nn.functional.gelu(self.intermediate(x))
        inner = self.dropout(self.output(inner))
        return self.norm2(inner + x)


class SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(8, 8)
        self.key = nn.Linear(8, 8)
        self.value = nn.Linear(8, 8)
        self.dropout = nn.Dropout(0.2)

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], 2, -1).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, bias: Tensor) -> Any:
        q = self._split(self.query(x))
        k = self._split(self.key(x))
        v = self._split(self.value(x))
        scores = q.matmul(k.transpose(-1, -2)) / math.sqrt(q.shape[3])
        scores = scores + bias
        weights = self.dropout(nn.functional.softmax(scores, dim=-1))
        context = weights.matmul(v).permute(0, 2, 1, 3).contiguous()
        return context.view(x.shape[0], x.shape[1], -1)


class Rotary(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 16)
        self.blocks = nn.ModuleList(RotaryBlock() for _ in range(2))
        self.norm = RootNorm(16)
        self.head = nn.Linear(16, 11, bias=False)

    def angles(self, length: int) -> tuple[Tensor, Tensor]:
        powers = torch.arange(0, 4, 2, dtype=torch.float32) / 4
        speeds = 1.0 / torch.pow(10000.0, powers)
        angles = torch.outer(torch.arange(length, dtype=torch.float32), speeds)
        both = torch.cat((angles, angles), dim=-1)
        return both.cos(), both.sin()

    def forward(self, ids: Tensor) -> Any:
        length = ids.shape[1]
        cosines, sines = self.angles(length)
        mask = torch.full((length, length), -math.inf).triu(1)
        x = self.words(ids)
        for block in self.blocks:
            x = block(x, cosines, sines, mask)
        return self.head(self.norm(x))


class RootNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Any:
        square = x.pow(2).mean(-1, keepdim=True)
        return x * (square + self.eps).rsqrt() * self.weight


class RotaryBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before = RootNorm(16)
        self.attention = RotaryAttention()
        self.between = RootNorm(16, eps=1e-6)
        self.feed = Gated()

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor, mask: Tensor) -> Any:
        h = x + self.attention(self.before(x), cosines, sines, mask)
        return h + self.feed(self.between(h))


class RotaryAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wq = nn.Linear(16, 16, bias=False)
        self.wk = nn.Linear(16, 8, bias=False)
        self.wv = nn.Linear(16, 8, bias=False)
        self.wo = nn.Linear(16, 16, bias=False)

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor, mask: Tensor) -> Any:
        batch, length = x.shape[:2]
        q = _rotate(_split(self.wq(x), 4), cosines, sines)
        k = _rotate(_split(self.wk(x), 2), cosines, sines)
        v = _split(self.wv(x), 2)
        k = k.repeat_interleave(2, dim=1)
        v = v.repeat_interleave(2, dim=1)
        scores = q.matmul(k.transpose(2, 3)) / math.sqrt(q.shape[3])
        scores = scores + mask
        shares = scores.softmax(dim=-1)
        mixed = shares.matmul(v)
        return self.wo(mixed.transpose(1, 2).contiguous().view(batch, length, -1))


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(16, 32, bias=False)
        self.up = nn.Linear(16, 32, bias=False)
        self.down = nn.Linear(32, 16, bias=False)

    def forward(self, x: Tensor) -> Any:
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Translator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.reader = Reader()
        self.writer = Writer()

    def forward(self, source: Tensor, target: Tensor, real: Tensor) -> Any:
        read, state = self.reader(source, real)
        return self.writer(target, read, state, real)


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 6, padding_idx=0)
        self.dropout = nn.Dropout(0.1)
        self.gru = nn.GRU(6, 6, batch_first=True, bidirectional=True)
        self.joined = nn.Linear(12, 6)

    def forward(self, source: Tensor, real: Tensor) -> Any:
        embedded = self.dropout(self.words(source))
        states, last = self.gru(embedded)
        states = states * real.unsqueeze(-1).float()
        both = torch.cat((last[0], last[1]), dim=1)
        return states, self.joined(both).tanh()


class Looking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(6, 6, bias=False)
        self.key = nn.Linear(12, 6, bias=False)
        self.score = nn.Linear(6, 1, bias=False)

    def forward(self, state: Tensor, read: Tensor, real: Tensor) -> Any:
        energy = (self.query(state).unsqueeze(1) + self.key(read)).tanh()
        scores = self.score(energy).squeeze(-1)
        scores = scores.masked_fill(real.logical_not(), -1e9)
        shares = scores.softmax(dim=1)
        context = shares.unsqueeze(1).bmm(read).squeeze(1)
        return context, shares


class Writer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 6)
        self.looking = Looking()
        self.cell = nn.GRUCell(18, 6)
        self.norm = nn.LayerNorm(6)
        self.head = nn.Linear(18, 11)

    def forward(self, target: Tensor, read: Tensor, state: Tensor, real: Tensor) -> Any:
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


class Captioner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 3, stride=3)
        self.words = nn.Embedding(11, 8)
        self.places = nn.Parameter(torch.randn(1, 12, 8) * 0.1)
        self.self = Attending()
        self.cross = Attending()
        self.norm = nn.LayerNorm(8)
        self.feed = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(8, 11)

    def forward(self, image: Tensor, ids: Tensor, past: Cache | None) -> Any:
        seen = self.patches(image).flatten(2).transpose(1, 2)
        start = 0 if past is None else past[0].shape[2]
        length = ids.shape[1]
        x = self.words(ids) + self.places.narrow(1, start, length)
        before = torch.arange(start + length)[None] <= torch.arange(start, start + length)[:, None]
        own, keys, values = self.self(self.norm(x), None, past, before)
        x = x + self.dropout(own)
        other, _, _ = self.cross(self.norm(x), seen, None, None)
        x = x + self.dropout(other)
        x = x + self.dropout(self.feed(self.norm(x)))
        return self.head(x), (keys, values)


class Attending(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(8, 8)
        self.key = nn.Linear(8, 8)
        self.value = nn.Linear(8, 8)
        self.output = nn.Linear(8, 8)

    def forward(self, x: Tensor, memory: Tensor | None, past: Cache | None, allowed: Tensor | None) -> Any:
        looked = x if memory is None else memory
        q = _split(self.query(x), 2)
        k = _split(self.key(looked), 2)
        v = _split(self.value(looked), 2)
        if past is not None:
            k = torch.cat((past[0], k), 2)
            v = torch.cat((past[1], v), 2)
        scores = q.matmul(k.mT) * q.shape[3] ** -0.5
        if allowed is not None:
            scores = torch.where(allowed, scores, torch.full_like(scores, -1e4))
        weights = (scores - scores.amax(-1, keepdim=True)).exp()
        weights = weights / weights.sum(-1, keepdim=True)
        return self.output(weights.matmul(v).transpose(1, 2).flatten(2)), k, v
