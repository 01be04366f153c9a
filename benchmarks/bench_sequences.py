"""Steps of sequence models at batch 1, called from Python, compared with their PyTorch counterparts."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch
from harness import Figure, Samples, in_turn
from torch import nn

import bridge
from bridge.runtimes.recording import leaves

PROJECT = Path(__file__).parent / "models" / "BenchmarkModels.csproj"
SEEN = 64  # tokens with cached keys and values


class LstmStep(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.LstmStep."""

    def __init__(self, inputs: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden, layers)
        self.head = nn.Linear(hidden, inputs)

    def forward(self, input: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor]) -> Any:
        output, state = self.lstm(input, state)
        return self.head(output), state


class TransformerStep(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.TransformerStep."""

    def __init__(self, width: int, heads: int, layers: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, width)

    def forward(self, input: torch.Tensor, mask: torch.Tensor) -> Any:
        return self.head(self.encoder(input, mask))


class Gpt2(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.Gpt2."""

    def __init__(self, vocabulary: int, context: int, layers: int, heads: int, width: int) -> None:
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(context, width)
        self.h = nn.ModuleList(Gpt2Block(heads, width) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, ids: torch.Tensor, past: list[tuple[torch.Tensor, torch.Tensor]]) -> Any:
        seen = past[0][0].shape[2]
        x = self.wte(ids) + self.wpe(torch.arange(seen, seen + ids.shape[1]))
        present = []
        for block, before in zip(self.h, past, strict=True):
            x, cache = block(x, before)
            present.append(cache)
        return self.lm_head(self.ln_f(x)), present


class Gpt2Block(nn.Module):
    """The PyTorch counterpart of BenchmarkModels.Gpt2Block."""

    def __init__(self, heads: int, width: int) -> None:
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            OrderedDict(
                c_fc=nn.Linear(width, 4 * width), act=nn.GELU(approximate="tanh"), c_proj=nn.Linear(4 * width, width)
            )
        )

    def forward(self, x: torch.Tensor, past: tuple[torch.Tensor, torch.Tensor]) -> Any:
        batch, length, width = x.shape
        parts = self.c_attn(self.ln_1(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        key = torch.cat((past[0], key), dim=2)
        value = torch.cat((past[1], value), dim=2)
        attended = nn.functional.scaled_dot_product_attention(query, key, value)
        x = x + self.c_proj(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.ln_2(x)), (key, value)


@torch.no_grad()
def _step(counterpart: nn.Module, arguments: tuple[int, ...], *given: Any) -> Samples:
    name = type(counterpart).__name__
    model = bridge.load(PROJECT, f"BenchmarkModels.{name}", *arguments).eval()
    model.load_state_dict(counterpart.eval().state_dict())
    assert all(map(torch.equal, leaves(model(*given)), leaves(counterpart(*given)))), name
    return in_turn(lambda: model(*given), lambda: counterpart(*given))


def _lstm() -> Samples:
    arguments = (128, 256, 2)
    state = (torch.randn(2, 1, 256), torch.randn(2, 1, 256))
    return _step(LstmStep(*arguments), arguments, torch.randn(1, 1, 128), state)


def _transformer() -> Samples:
    arguments = (128, 4, 2)
    mask = nn.Transformer.generate_square_subsequent_mask(8)
    return _step(TransformerStep(*arguments), arguments, torch.randn(8, 1, 128), mask)


def _gpt2() -> Samples:
    arguments = (50257, 1024, 12, 12, 768)
    past = [(torch.randn(1, 12, SEEN, 64), torch.randn(1, 12, SEEN, 64)) for _ in range(12)]
    return _step(Gpt2(*arguments), arguments, torch.tensor([[11]]), past)


def _figure(name: str, what: str, measure: Any, goal: float) -> Figure:
    return Figure(
        name, f"{what}, batch 1, no_grad: the .NET model called from Python", "its PyTorch counterpart", "us", measure, goal
    )  # fmt: skip


FIGURES = (
    _figure("lstm", "one step of an LSTM, 2 layers, hidden 256", _lstm, 1.02),
    _figure(
        "transformer", "a transformer encoder, 2 layers, width 128, 8 tokens with a causal mask", _transformer, 1.02
    ),
    _figure("gpt2", f"one token of GPT-2 small after {SEEN} others, by their keys and values", _gpt2, 1.0),
)
