"""Layers that take more than one tensor, or give more: recurrent ones, attention, transformers, bags, losses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from operator_rows.layers import Case
from torch import nn


def _pair(draw: Any, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(draw.tensor(*shape) for shape in shapes)


def _recurrent(states: int, layers: int, sizes: tuple[int, int], first: bool = False) -> Callable[..., tuple[Any, ...]]:
    """Draw arguments of a recurrent module of 3 inputs: with states, without, and without a batch."""

    def make(draw: Any, n: int) -> tuple[Any, ...]:
        inputs, hidden = sizes
        given = [draw.tensor(layers, 2, hidden) if n != 2 else draw.tensor(layers, hidden) for _ in range(states)]
        x = draw.tensor(5, inputs) if n == 2 else draw.tensor(2, 5, inputs) if first else draw.tensor(5, 2, inputs)
        return (x,) if n == 1 else (x, tuple(given) if states > 1 else given[0])

    return make


def _cell(states: int) -> Callable[..., tuple[Any, ...]]:
    def make(draw: Any, n: int) -> tuple[Any, ...]:
        rows = () if n == 2 else (2,)
        given = [draw.tensor(*rows, 4) for _ in range(states)]
        x = draw.tensor(*rows, 3)
        return (x,) if n == 1 else (x, tuple(given) if states > 1 else given[0])

    return make


def _attended(draw: Any, n: int, sizes: tuple[int, int] = (8, 8)) -> tuple[Any, ...]:
    query = draw.tensor(5, 3, 8)
    key, value = draw.tensor(4, 3, sizes[0]), draw.tensor(4, 3, sizes[1])
    padding = torch.tensor([[False, False, True, False], [False] * 4, [True, False, False, False]])
    mask = torch.zeros(5, 4, dtype=torch.bool).index_fill_(1, torch.tensor([2]), True)
    if sizes != (8, 8):
        return (query, key, value, None, True, None)
    return (
        (query, query, query, None, True, None),
        (query, key, key, padding, True, mask),
        (query, key, value, None, False, mask),
        (query, key, value, padding, False, None),
        (draw.tensor(5, 8), draw.tensor(4, 8), draw.tensor(4, 8), None, True, None),
        (query, query, query, None, False, None),
    )[n % 6]


def causal(draw: Any) -> torch.Tensor:
    return nn.Transformer.generate_square_subsequent_mask(5).to(draw.dtype)


def _encoded(draw: Any, n: int) -> tuple[Any, ...]:
    x = draw.tensor(5, 2, 8)
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    other = torch.zeros(5, 5, dtype=torch.bool).index_fill_(1, torch.tensor([2]), True)
    return ((x, None, None), (x, causal(draw), None), (x, other, None), (x, None, padding))[n % 4]


def _decoded(draw: Any, n: int) -> tuple[Any, ...]:
    x, memory = draw.tensor(5, 2, 8), draw.tensor(4, 2, 8)
    other = torch.zeros(5, 4, dtype=torch.bool).index_fill_(1, torch.tensor([2]), True)
    return ((x, memory, None, None, None, None), (x, memory, causal(draw), other, None, None))[n % 2]


def _classes(draw: Any, n: int) -> tuple[Any, ...]:
    return draw.tensor(4, 5), torch.randint(0, 5, (4,), generator=draw.generator)


def _pooled(rank: int, draw: Any, n: int) -> tuple[Any, ...]:
    """Pool with windows of 2 and return results, indices, and every second time the input's size."""
    x = draw.tensor(2, 3, *((5, 6, 7) if n % 2 else (4, 6, 2))[:rank])
    pool = (nn.functional.max_pool1d, nn.functional.max_pool2d, nn.functional.max_pool3d)[rank - 1]
    values, places = pool(x, 2, return_indices=True)
    return (values, places, list(x.shape[2:])) if n % 2 else (values, places)


def _two(draw: Any, n: int) -> tuple[Any, ...]:
    return _pair(draw, (3, 4), (3, 4))


def _shares(draw: Any, n: int) -> tuple[Any, ...]:
    return draw.tensor(3, 4).sigmoid(), draw.tensor(3, 4).sigmoid()


def _sides(draw: Any) -> torch.Tensor:
    # Integers, since its operator refuses a target that requires a gradient.
    return torch.randint(0, 2, (3,), generator=draw.generator) * 2 - 1


def _signs(count: int) -> Callable[..., tuple[Any, ...]]:
    def make(draw: Any, n: int) -> tuple[Any, ...]:
        return (*_pair(draw, *[(3,)] * count), draw.tensor(3).sign())

    return make


def _reduced(
    name: str, arguments: Callable[..., tuple[Any, ...]], code: str = "", half: bool = False, **named: Any
) -> dict[str, Case]:
    return {
        f"{name} {reduction} {code}": Case(
            f"{name}({code + ', ' if code else ''}reduction: Reduction.{reduction.title()})",
            partial(getattr(nn, name), reduction=reduction, **named), (), arguments, half,
        )
        for reduction in ("none", "mean", "sum")
    }  # fmt: skip


_WEIGHT = torch.tensor([0.5, 1.0, 2.0, 0.25, 1.5])
_WEIGHT_CODE = "tensor(new[] { 0.5f, 1.0f, 2.0f, 0.25f, 1.5f })"

MANY = {
    "lstm": Case("LSTM(3, 4)", lambda: nn.LSTM(3, 4), (), _recurrent(2, 1, (3, 4))),
    "lstm more": Case(
        "LSTM(3, 4, 2, batchFirst: true, dropout: 0.3, bidirectional: true)",
        lambda: nn.LSTM(3, 4, 2, batch_first=True, dropout=0.3, bidirectional=True), (), _recurrent(2, 4, (3, 4), True),
    ),
    "lstm no bias": Case("LSTM(3, 4, bias: false)", lambda: nn.LSTM(3, 4, bias=False), (), _recurrent(2, 1, (3, 4))),
    "gru": Case("GRU(3, 4)", lambda: nn.GRU(3, 4), (), _recurrent(1, 1, (3, 4))),
    "gru more": Case(
        "GRU(3, 4, 2, batchFirst: true, bidirectional: true)",
        lambda: nn.GRU(3, 4, 2, batch_first=True, bidirectional=True), (), _recurrent(1, 4, (3, 4), True),
    ),
    "rnn": Case("RNN(3, 4)", lambda: nn.RNN(3, 4), (), _recurrent(1, 1, (3, 4))),
    "rnn relu": Case("RNN(3, 4, 2, NonLinearities.ReLU)", lambda: nn.RNN(3, 4, 2, "relu"), (), _recurrent(1, 2, (3, 4))),
    "lstm cell": Case("LSTMCell(3, 4)", lambda: nn.LSTMCell(3, 4), (), _cell(2)),
    "lstm cell no bias": Case("LSTMCell(3, 4, false)", lambda: nn.LSTMCell(3, 4, False), (), _cell(2)),
    "gru cell": Case("GRUCell(3, 4)", lambda: nn.GRUCell(3, 4), (), _cell(1)),
    "rnn cell": Case("RNNCell(3, 4)", lambda: nn.RNNCell(3, 4), (), _cell(1)),
    "rnn cell relu": Case("RNNCell(3, 4, NonLinearities.ReLU)", lambda: nn.RNNCell(3, 4, nonlinearity="relu"), (), _cell(1)),
    "attention": Case("MultiheadAttention(8, 2)", lambda: nn.MultiheadAttention(8, 2), (), _attended),
    "attention dropout": Case("MultiheadAttention(8, 2, 0.4)", lambda: nn.MultiheadAttention(8, 2, 0.4), (), _attended),
    "attention no bias": Case("MultiheadAttention(8, 4, bias: false)", lambda: nn.MultiheadAttention(8, 4, bias=False), (), _attended),
    "attention more": Case(
        "MultiheadAttention(8, 2, add_bias_kv: true, add_zero_attn: true)",
        lambda: nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True), (), _attended,
    ),
    "attention sizes": Case(
        "MultiheadAttention(8, 2, kdim: 6, vdim: 5)",
        lambda: nn.MultiheadAttention(8, 2, kdim=6, vdim=5), (), partial(_attended, sizes=(6, 5)),
    ),
    "encoder": Case(
        "TransformerEncoder(TransformerEncoderLayer(8, 2, 16), 2)",
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2), (), _encoded,
    ),
    "encoder gelu": Case(
        "TransformerEncoder(TransformerEncoderLayer(8, 2, 16, 0.0, Activations.GELU), 1)",
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu"), 1), (), _encoded,
    ),
    "encoder layer": Case("TransformerEncoderLayer(8, 2, 16)", lambda: nn.TransformerEncoderLayer(8, 2, 16), ((5, 2, 8), (5, 8))),
    "decoder layer": Case("TransformerDecoderLayer(8, 2, 16)", lambda: nn.TransformerDecoderLayer(8, 2, 16), (), _decoded),
    "decoder": Case(
        "TransformerDecoder(TransformerDecoderLayer(8, 2, 16), 2)",
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2), (), _decoded,
    ),
    "transformer": Case(
        "Transformer(8, 2, 2, 1, 16)", lambda: nn.Transformer(8, 2, 2, 1, 16), (), lambda draw, n: _pair(draw, (5, 2, 8), (4, 2, 8)),
    ),
    "bag": Case(
        "EmbeddingBag(7, 3)", lambda: nn.EmbeddingBag(7, 3), (),
        lambda draw, n: (torch.randint(0, 7, (9,), generator=draw.generator), torch.tensor([0, 2, 2, 6])),
    ),
    "bag sum": Case(
        "EmbeddingBag(7, 3, mode: EmbeddingBagMode.Sum)", lambda: nn.EmbeddingBag(7, 3, mode="sum"), (),
        lambda draw, n: (torch.randint(0, 7, (3, 4), generator=draw.generator), None, draw.tensor(3, 4)),
    ),
    "bag max": Case(
        "EmbeddingBag(7, 3, mode: EmbeddingBagMode.Max, padding_index: 2)", lambda: nn.EmbeddingBag(7, 3, mode="max", padding_idx=2), (),
        lambda draw, n: (torch.randint(0, 7, (3, 4), generator=draw.generator),),
    ),
    "unpool1d": Case("MaxUnpool1d(2)", lambda: nn.MaxUnpool1d(2), (), partial(_pooled, 1)),
    "unpool2d": Case("MaxUnpool2d(2)", lambda: nn.MaxUnpool2d(2), (), partial(_pooled, 2)),
    "unpool3d": Case("MaxUnpool3d(2)", lambda: nn.MaxUnpool3d(2), (), partial(_pooled, 3), False),
    "bilinear": Case("Bilinear(3, 4, 2)", lambda: nn.Bilinear(3, 4, 2), (), lambda draw, n: _pair(draw, (5, 3), (5, 4))),
    "bilinear no bias": Case(
        "Bilinear(3, 4, 2, false)", lambda: nn.Bilinear(3, 4, 2, False), (), lambda draw, n: _pair(draw, (5, 3), (5, 4)),
    ),
    "cosine": Case("CosineSimilarity()", lambda: nn.CosineSimilarity(), (), _two),
    "cosine first": Case("CosineSimilarity(0, 1e-3)", lambda: nn.CosineSimilarity(0, 1e-3), (), _two),
    "distance": Case("PairwiseDistance()", lambda: nn.PairwiseDistance(), (), _two),
    "distance more": Case("PairwiseDistance(1, 1e-3, true)", lambda: nn.PairwiseDistance(1, 1e-3, True), (), _two),
    **_reduced("CrossEntropyLoss", _classes),
    **_reduced("CrossEntropyLoss", _classes, "ignore_index: 2", ignore_index=2),
    **_reduced("CrossEntropyLoss", _classes, f"weight: {_WEIGHT_CODE}", weight=_WEIGHT),
    **_reduced("NLLLoss", _classes),
    **_reduced("BCELoss", _shares),
    **_reduced("BCEWithLogitsLoss", _shares),
    **_reduced("MSELoss", _two),
    **_reduced("L1Loss", _two),
    **_reduced("SmoothL1Loss", _two, "beta: 0.3", beta=0.3),
    **_reduced("HuberLoss", _two, "delta: 0.3", delta=0.3),
    **_reduced("KLDivLoss", _two, log_target=True),
    **_reduced("KLDivLoss", _shares, "log_target: false", log_target=False),
    **_reduced("PoissonNLLLoss", _shares, "log_input: false, full: true", log_input=False, full=True),
    **_reduced("GaussianNLLLoss", lambda draw, n: (*_two(draw, n), draw.tensor(3, 4).abs()), "eps: 1e-6f"),
    **_reduced("GaussianNLLLoss", lambda draw, n: (*_two(draw, n), draw.tensor(3).abs()), "true, 1e-6f", full=True),
    **_reduced("SoftMarginLoss", lambda draw, n: (draw.tensor(3), _sides(draw))),
    **_reduced("HingeEmbeddingLoss", _signs(1)),
    **_reduced("MarginRankingLoss", _signs(2), "margin: 0.2", margin=0.2),
    **_reduced("CosineEmbeddingLoss", lambda draw, n: (*_two(draw, n), draw.tensor(3).sign()), "margin: 0.2", margin=0.2),
    **_reduced(
        "MultiLabelSoftMarginLoss",
        lambda draw, n: (draw.tensor(3, 5), draw.tensor(3, 5).gt(0).to(draw.dtype)), f"weight: {_WEIGHT_CODE}", weight=_WEIGHT,
    ),
    **_reduced("MultiMarginLoss", _classes),
    **_reduced("MultiLabelMarginLoss", lambda draw, n: (draw.tensor(2, 4), torch.tensor([[3, 0, -1, 1], [1, -1, 0, 0]]))),
    **_reduced("TripletMarginLoss", lambda draw, n: _pair(draw, (3, 4), (3, 4), (3, 4)), "swap: true", swap=True),
    **_reduced("TripletMarginWithDistanceLoss", lambda draw, n: _pair(draw, (3, 4), (3, 4), (3, 4)), "margin: 0.5", margin=0.5),
    **_reduced(
        "CTCLoss",
        lambda draw, n: (draw.tensor(6, 2, 4).log_softmax(2), torch.tensor([[1, 2, 3], [2, 2, 1]]),
            torch.tensor([6, 5]), torch.tensor([3, 2])),
    ),
}  # fmt: skip
