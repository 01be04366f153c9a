"""Models as people write them: skip lists, dictionaries of modules, tied weights, computed buffers, recurrent states, what is kept."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


class Skips(nn.Module):
    """A small U-Net: its skips are a list, taken from the end."""

    def __init__(self) -> None:
        super().__init__()
        self.downs = nn.ModuleList([nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)])
        self.ups = nn.ModuleList([nn.ModuleList([nn.Upsample(scale_factor=2), nn.Conv2d(12, 4, 1)])])
        self.pool = nn.MaxPool2d(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        skips = []
        for down in self.downs:
            x = F.relu(down(x))
            skips.append(x)
            x = self.pool(x)
        skips = skips[::-1]
        total: Any = 0
        for up, mix in self.ups:
            x = up(x)
            skip = skips.pop(0)
            if x.shape != skip.shape:
                x = F.interpolate(x, size=skip.shape[2:])
            x = mix(torch.cat((skip, x[:, :4]), dim=1))
            total = total + x.mean()
        return torch.cat([layer(x).flatten(1).sum(1, keepdim=True) for layer in (self.pool, self.ups[0][0])], 1) + total


class Rotary(nn.Module):
    """Turns by tables that are computed, and in no state_dict."""

    def __init__(self, width: int, longest: int = 16, base: float = 10000.0) -> None:
        super().__init__()
        turns = 1.0 / (base ** (torch.arange(0, width, 2).float() / width))
        angles = torch.outer(torch.arange(longest).float(), turns)  # [longest, width / 2]
        table = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", table.cos(), persistent=False)
        self.register_buffer("sin", table.sin(), persistent=False)
        self.register_buffer(
            "mask", torch.triu(torch.full((longest, longest), float("-inf")), diagonal=1), persistent=False
        )

    def tables(self, length: int) -> tuple[Any, Any]:
        return self.cos[:length], self.sin[:length]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        cos, sin = self.tables(x.shape[1])
        first, second = x.chunk(2, dim=-1)
        weights = (x @ x.transpose(1, 2) / math.sqrt(x.shape[-1]) + self.mask[: x.shape[1], : x.shape[1]]).softmax(-1)
        self.weights = weights
        return weights @ (x * cos + torch.cat((-second, first), dim=-1) * sin)


def grid(*axes: torch.Tensor) -> Any:
    """Return the places along each axis."""
    try:
        return torch.meshgrid(*axes, indexing="ij")
    except TypeError:  # an old PyTorch
        return torch.meshgrid(*axes)


class Biased(nn.Module):
    """Distances that a method fills in, and biases by them that are kept in eval mode."""

    def __init__(self, height: int, width: int, scaled: bool = True) -> None:
        super().__init__()
        self.size = (height, width)
        self.biases = nn.Parameter(torch.randn(2, height * width))
        self.gain = nn.Parameter(torch.ones(2)) if scaled else None
        self.register_buffer("places", torch.empty(height * width, height * width, dtype=torch.long), persistent=False)
        self.kept: dict[str, torch.Tensor] = {}
        self.reset()

    def reset(self) -> None:
        self._fill()

    def _distances(self, device: Any = None) -> torch.Tensor:
        rows = torch.arange(self.size[0], device=device)
        places = torch.stack(grid(rows, torch.arange(self.size[1], device=device))).flatten(1)
        apart = (places[..., :, None] - places[..., None, :]).abs()
        return apart[0] * self.size[1] + apart[1]

    def _fill(self) -> None:
        self.places.copy_(self._distances(device=self.places.device))
        self.kept = {}

    def bias(self, device: torch.device) -> torch.Tensor:
        if self.training:
            return self.biases[:, self.places]
        key = str(device)
        if key not in self.kept:
            self.kept[key] = self.biases[:, self.places]
        return self.kept[key]

    def train(self, mode: bool = True) -> Any:
        self.kept = {}
        return super().train(mode)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.unsqueeze(1) + self.bias(x.device)
        if self.gain is not None:
            x = x * self.gain[:, None, None]
        return x.sum(1)


class Biases(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide, self.long = Biased(2, 3), Biased(3, 2, scaled=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.long(self.wide(x)).reshape_as(x)


class Tied(nn.Module):
    """A language model whose parts are in a dictionary, and whose head has the embedding's weight."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleDict(
            {"embed": nn.Embedding(11, 8), "layers": nn.ModuleList([Rotary(8), Rotary(8)]), "norm": nn.LayerNorm(8)}
        )
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.parts["embed"].weight

    def forward(
        self, ids: torch.Tensor, targets: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        x = self.parts["embed"](ids)
        for layer in self.parts["layers"]:
            x = x + layer(x)
        cos, _ = self.parts["layers"][0].tables(x.shape[1])
        logits = self.head(self.parts["norm"](x + cos)[:, [-1], :])
        loss = None if targets is None else F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss


class Encoder(nn.Module):
    """An LSTM with a state of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 6, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        start = (x.new_zeros(1, x.shape[0], 6), x.new_zeros(1, x.shape[0], 6))
        output, (h, c) = self.lstm(x, start)
        again, state = self.lstm(x, (h, c))
        return output + again + state[0][-1].unsqueeze(1)


class Recurrent(Encoder):
    """What it derives from goes first; its branches are walked over by name."""

    def __init__(self) -> None:
        super().__init__()
        self.branches = nn.ModuleDict({"a": nn.Linear(6, 2), "b": nn.Linear(6, 3)})

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        x = super().forward(x)
        results = {}
        for name, branch in self.branches.items():
            results[name] = branch(x)
        b, *_ = x.shape
        x[:, 0] += b
        results["sum"] = sum(one.sum(-1) for one in results.values())
        return results
