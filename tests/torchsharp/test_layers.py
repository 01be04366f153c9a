"""The modules of Bridge.Torch beside the common ones against their torch.nn counterparts: initial values, state, outputs, gradients.

Each is the child of a C# module and is called from Python, so that it may have any number of arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

_HOLDER = """using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Layers;

/// <summary>One module of each case.</summary>
public sealed class Holder : Module<Tensor, Tensor>
{{
    private readonly Module layer;

    public Holder(string kind) : base(nameof(Holder))
    {{
        layer = kind switch
        {{
{arms}
            _ => throw new System.ArgumentException(kind),
        }};
        RegisterComponents();
    }}

    public override Tensor forward(Tensor input) => input;
}}
"""

LINES = ((2, 4, 9), (4, 11))
IMAGES = ((2, 4, 9, 8), (4, 7, 9))
VOLUMES = ((2, 4, 5, 6, 4), (4, 4, 5, 5))
ANY = ((3, 4), (2, 4, 5), (4, 2, 3, 2))


@dataclass(frozen=True)
class Case:
    """C#'s factory call, PyTorch's, and the shapes of inputs, or what makes the arguments of a call."""

    code: str
    counterpart: Callable[[], nn.Module]
    shapes: tuple[tuple[int, ...], ...] = ANY
    arguments: Callable[..., tuple[Any, ...]] | None = None
    half: bool = True


def _class(name: str, *given: Any, shapes: Any = ANY, code: str = "", half: bool = True, **named: Any) -> Case:
    numbers = ", ".join(str(value).lower() if isinstance(value, bool) else str(value) for value in given)
    more = ", ".join(
        f"{key}: {str(value).lower() if isinstance(value, bool) else value}" for key, value in named.items()
    )
    return Case(
        code or f"{name}({', '.join(text for text in (numbers, more) if text)})",
        partial(getattr(nn, name), *given, **named),
        shapes,
        None,
        half,
    )


ONE = {
    **{
        f"{name.lower()}{' in place' if inplace else ''}": _class(name, **({"inplace": True} if inplace else {}))
        for name in ("ELU", "SELU", "Hardsigmoid", "Hardswish", "Hardtanh", "ReLU6", "Mish", "RReLU")
        for inplace in (False, True)
    },
    "elu steep": _class("ELU", 0.4),
    "rrelu wide": _class("RReLU", 0.1, 0.6),
    "hardtanh wide": _class("Hardtanh", -2.5, 0.5),
    "glu": _class("GLU", shapes=((3, 4), (2, 3, 6))),
    "glu first": _class("GLU", 0, shapes=((4, 4), (2, 3, 6))),
    "hardshrink": _class("Hardshrink"),
    "hardshrink more": _class("Hardshrink", 0.9),
    "softshrink": _class("Softshrink", 0.3),
    "logsigmoid": _class("LogSigmoid"),
    "softmax2d": _class("Softmax2d", shapes=IMAGES),
    "softmin": _class("Softmin", 1),
    "softplus": _class("Softplus"),
    "softplus sharp": _class("Softplus", 2.5, 1.0),
    "softsign": _class("Softsign"),
    "tanhshrink": _class("Tanhshrink"),
    "threshold": _class("Threshold", 0.1, -3.0),
    "threshold in place": _class("Threshold", 0.1, 20.0, True),
    "dropout1d": _class("Dropout1d", 0.4, shapes=((3, 8, 4), (9, 3))),
    "dropout1d in place": _class("Dropout1d", 0.4, True, shapes=((3, 8, 4),)),
    "dropout3d": _class("Dropout3d", 0.4, shapes=((2, 8, 3, 2, 4), (8, 3, 2, 4))),
    "alpha dropout": _class("AlphaDropout", 0.3),
    "feature alpha dropout": _class("FeatureAlphaDropout", 0.3, shapes=((3, 8, 4),)),
    "instance norm 1": _class("InstanceNorm1d", 4, shapes=LINES),
    "instance norm 2": _class("InstanceNorm2d", 4, shapes=IMAGES),
    "instance norm 3": _class("InstanceNorm3d", 4, shapes=VOLUMES),
    "instance norm tracked": _class("InstanceNorm2d", 4, 1e-3, 0.3, True, True, shapes=IMAGES),
    "local response": _class("LocalResponseNorm", 3, shapes=(LINES[0], IMAGES[0]), half=False),
    "local response more": _class("LocalResponseNorm", 2, 1e-3, 0.5, 2.0, shapes=(LINES[0], VOLUMES[0]), half=False),
    **{
        f"{name} {value}": Case(f"{name}({code})", partial(getattr(nn, name), value, *more), shapes)
        for rank, shapes in ((1, LINES), (2, IMAGES), (3, VOLUMES))
        for kind, more in (("Constant", (1.5,)), ("Reflection", ()), ("Replication", ()))
        for name in (f"{kind}Pad{rank}d",)
        for value in (2, tuple(range(1, 2 * rank + 1)) if kind == "Constant" else tuple(n % 3 for n in range(2 * rank)))
        for code in (", ".join(str(part) for part in (value, *more)),)
    },
    "zero pad": _class("ZeroPad2d", 2, shapes=IMAGES),
    "zero pad four": _class("ZeroPad2d", (1, 0, 2, 3), shapes=IMAGES),
    "transposed1d": _class("ConvTranspose1d", 4, 6, 3, shapes=LINES),
    "transposed1d more": Case(
        "ConvTranspose1d(4, 6, 3, stride: 2, padding: 1, output_padding: 1, groups: 2, bias: false)",
        lambda: nn.ConvTranspose1d(4, 6, 3, 2, 1, 1, 2, False), LINES,
    ),
    "transposed3d": _class("ConvTranspose3d", 4, 2, 3, shapes=VOLUMES),
    "transposed3d more": Case(
        "ConvTranspose3d(4, 2, (2, 3, 2), (1, 2, 3), (0, 1, 0), (0, 1, 2), (1, 1, 2))",
        lambda: nn.ConvTranspose3d(4, 2, (2, 3, 2), (1, 2, 3), (0, 1, 0), (0, 1, 2), dilation=(1, 1, 2)), VOLUMES,
    ),
    "average1d": _class("AvgPool1d", 2, shapes=LINES),
    "average1d more": _class("AvgPool1d", 3, 2, 1, True, False, shapes=LINES),
    "average3d": _class("AvgPool3d", 2, shapes=VOLUMES, half=False),
    "average3d more": Case(
        "AvgPool3d((2, 3, 2), (1, 2, 1), (1, 1, 0), count_include_pad: false)",
        lambda: nn.AvgPool3d((2, 3, 2), (1, 2, 1), (1, 1, 0), count_include_pad=False), VOLUMES, half=False,
    ),
    "average3d by five": Case(
        "AvgPool3d([2, 2, 2], divisor_override: 5)", lambda: nn.AvgPool3d(2, divisor_override=5), VOLUMES, half=False,
    ),
    "largest3d": _class("MaxPool3d", 2, shapes=VOLUMES),
    "largest3d more": Case(
        "MaxPool3d([2, 3, 2], [1, 2, 1], [1, 1, 0], [1, 1, 2], true)",
        lambda: nn.MaxPool3d((2, 3, 2), (1, 2, 1), (1, 1, 0), (1, 1, 2), ceil_mode=True), VOLUMES,
    ),
    "largest3d tuple": _class("MaxPool3d", (2, 1, 2), (2, 1, 1), shapes=VOLUMES),
    "adaptive average1d": _class("AdaptiveAvgPool1d", 3, shapes=LINES),
    "adaptive average3d": _class("AdaptiveAvgPool3d", 2, shapes=VOLUMES),
    "adaptive average3d more": Case("AdaptiveAvgPool3d((2, 3, 1))", lambda: nn.AdaptiveAvgPool3d((2, 3, 1)), VOLUMES),
    "adaptive largest1d": _class("AdaptiveMaxPool1d", 3, shapes=LINES),
    "adaptive largest2d": Case("AdaptiveMaxPool2d([2, 3])", lambda: nn.AdaptiveMaxPool2d((2, 3)), IMAGES),
    "adaptive largest3d": Case("AdaptiveMaxPool3d([2, 3, 1])", lambda: nn.AdaptiveMaxPool3d((2, 3, 1)), VOLUMES),
    "norm pool1d": _class("LPPool1d", 2, 3, shapes=LINES, half=False),
    "norm pool1d more": _class("LPPool1d", 3, 2, 1, True, shapes=LINES, half=False),
    "norm pool2d": _class("LPPool2d", 2, 3, 2, shapes=IMAGES, half=False),
    "norm pool2d more": Case("LPPool2d(2, [3, 2])", lambda: nn.LPPool2d(2, (3, 2)), IMAGES, half=False),
    "unfold": _class("Unfold", 2, shapes=IMAGES),
    "unfold more": Case("Unfold((2, 3), (1, 2), (1, 0), (2, 1))", lambda: nn.Unfold((2, 3), (1, 2), (1, 0), (2, 1)), IMAGES),
    "fold": _class("Fold", 4, 2, shapes=((2, 12, 9), (8, 9))),
    "fold more": Case("Fold((4, 5), (2, 2), stride: (2, 1))", lambda: nn.Fold((4, 5), (2, 2), stride=(2, 1)), ((2, 12, 8),)),
    "pixel shuffle": _class("PixelShuffle", 2, shapes=((2, 8, 3, 4),)),
    "pixel unshuffle": _class("PixelUnshuffle", 2, shapes=((2, 3, 4, 6),)),
    "channel shuffle": _class("ChannelShuffle", 2, shapes=((2, 4, 3, 3),)),
    "unflatten": Case("Unflatten(1, [2, 2])", lambda: nn.Unflatten(1, (2, 2)), ((3, 4), (2, 4, 5))),
    "parameters": Case(
        "Linear(Parameter(rand([3, 4])), Parameter(rand([3])))",
        lambda: _given(nn.utils.skip_init(nn.Linear, 4, 3), torch.rand(3, 4), torch.rand(3)), ((3, 4),),
    ),
    "sequence": Case(
        "Sequential(Linear(4, 4), ReLU(), Linear(4, 4)).append(TransformerEncoder(TransformerEncoderLayer(4, 2, 8, 0.0), 1))",
        lambda: _appended(nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)),
            lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0), 1)),
        ((5, 2, 4),),
    ),
}  # fmt: skip


def _given(layer: nn.Linear, weight: torch.Tensor, bias: torch.Tensor) -> nn.Linear:
    layer.weight, layer.bias = nn.Parameter(weight), nn.Parameter(bias)
    return layer


def _appended(layers: nn.Sequential, make: Callable[[], nn.Module]) -> nn.Sequential:
    return layers.append(make())


def _pair(draw: Any, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(draw.tensor(*shape) for shape in shapes)


def _recurrent(states: int, layers: int, sizes: tuple[int, int], first: bool = False) -> Callable[..., tuple[Any, ...]]:
    """Arguments of a recurrent module of 3 inputs: with states, without, and without a batch."""

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


def _causal(draw: Any) -> torch.Tensor:
    return nn.Transformer.generate_square_subsequent_mask(5).to(draw.dtype)


def _encoded(draw: Any, n: int) -> tuple[Any, ...]:
    x = draw.tensor(5, 2, 8)
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    other = torch.zeros(5, 5, dtype=torch.bool).index_fill_(1, torch.tensor([2]), True)
    return ((x, None, None), (x, _causal(draw), None), (x, other, None), (x, None, padding))[n % 4]


def _decoded(draw: Any, n: int) -> tuple[Any, ...]:
    x, memory = draw.tensor(5, 2, 8), draw.tensor(4, 2, 8)
    other = torch.zeros(5, 4, dtype=torch.bool).index_fill_(1, torch.tensor([2]), True)
    return ((x, memory, None, None, None, None), (x, memory, _causal(draw), other, None, None))[n % 2]


def _classes(draw: Any, n: int) -> tuple[Any, ...]:
    return draw.tensor(4, 5), torch.randint(0, 5, (4,), generator=draw.generator)


def _pooled(rank: int, draw: Any, n: int) -> tuple[Any, ...]:
    """The results of a pooling with windows of 2, where they were, and every second time the size of what was pooled."""
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

CASES = {**ONE, **MANY}


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    arms = "\n".join(f'            "{kind}" => {case.code},' for kind, case in CASES.items())
    return build_csharp({"Layers.cs": _HOLDER.format(arms=arms)}, "Layers")


@pytest.fixture
def pair(assembly: Path) -> Callable[[str], tuple[nn.Module, nn.Module]]:
    """``pair(name)``: the C# module and PyTorch's, each made from the same seed."""

    def make(name: str) -> tuple[nn.Module, nn.Module]:
        torch.manual_seed(11)
        holder = bridge.load(assembly, "Layers.Holder", name)
        drawn = torch.get_rng_state()
        torch.manual_seed(11)
        counterpart = CASES[name].counterpart()
        assert torch.equal(drawn, torch.get_rng_state()), "what is made next would begin otherwise"
        ours: Any = holder.layer
        ours.holder = [holder]  # alive as long
        return ours, counterpart

    return make


@pytest.mark.parametrize("name", CASES)
def test_initial_values_and_state_equal_those_of_the_counterpart(name: str, pair: Any, bits_equal: Any) -> None:
    ours, counterpart = pair(name)
    mine, other = ours.state_dict(), counterpart.state_dict()
    assert list(mine) == list(other)
    for key in other:
        assert bits_equal(mine[key], other[key]), key
    assert [key for key, _ in ours.named_modules()] == [key for key, _ in counterpart.named_modules()]
    assert [type(m).__name__ for m in ours.modules()] == [type(m).__name__ for m in counterpart.modules()]
    assert [p.requires_grad for p in ours.parameters()] == [p.requires_grad for p in counterpart.parameters()]


@pytest.mark.parametrize("name", CASES)
def test_outputs_and_gradients_equal_those_of_the_counterpart(
    name: str, pair: Any, draw: Any, same_weights: Any, bits_equal: Any
) -> None:
    case = CASES[name]
    for dtype in (torch.float32, torch.float64, torch.bfloat16) if case.half else (torch.float32, torch.float64):
        ours, counterpart = pair(name)
        same_weights(ours, counterpart, draw(3, dtype))
        ours.to(dtype)
        counterpart.to(dtype)
        for training in (True, False):
            ours.train(training)
            counterpart.train(training)
            calls = range(6) if case.arguments else range(len(case.shapes))
            for n in calls:
                drawn = draw(2 * n, dtype)
                arguments = case.arguments(drawn, n) if case.arguments else (drawn.tensor(*case.shapes[n]),)
                _step(ours, counterpart, arguments, f"{name} {dtype} {n} training={training}", bits_equal)


@pytest.mark.parametrize("name", ["encoder layer", "decoder layer", "attention"])
def test_arguments_that_only_pytorchs_layer_has_can_be_given(name: str, pair: Any, draw: Any, bits_equal: Any) -> None:
    """TorchSharp's types lack them, but the layers around hand them over, and traces and hooks have them as PyTorch's do."""
    ours, counterpart = pair(name)
    drawn = draw(1, torch.float32)
    x, causal = drawn.tensor(5, 2, 8), _causal(drawn)
    arguments: tuple[torch.Tensor, ...]
    given: dict[str, Any]
    arguments, given = {
        "encoder layer": ((x,), {"src_mask": causal, "is_causal": True}),
        "decoder layer": ((x, x), {"tgt_mask": causal, "tgt_is_causal": True, "memory_mask": causal, "memory_is_causal": True}),
        "attention": ((x, x, x), {"attn_mask": causal, "average_attn_weights": False}),
    }[name]  # fmt: skip
    results, recorded = [], []
    for module in (ours.eval(), counterpart.eval()):
        with bridge.record(module, values="digest") as recording:
            found = [*_tensors(module(*arguments, **given))]
        recorded.append(recording.trace[0].values)
        handle = module.register_forward_pre_hook(lambda *_, **__: None, with_kwargs=True)
        found += _tensors(module(*arguments, **given))
        handle.remove()
        found += _tensors(module(*arguments))  # nothing of an earlier call is left
        results.append(found)
    assert all(map(bits_equal, *results))
    assert recorded[0] == recorded[1]


def _step(ours: nn.Module, counterpart: nn.Module, arguments: tuple[Any, ...], where: str, bits_equal: Any) -> None:
    """One call and one backward of each from the same seed; all results are bitwise equal."""
    sides = []
    for module in (ours, counterpart):
        leaves: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        given = _leaves(arguments, leaves)
        module.zero_grad()
        torch.manual_seed(5)
        results = list(_tensors(module(*given)))
        state = torch.get_rng_state()
        flowing = [result for result in results if result.requires_grad]
        if flowing:
            generator = torch.Generator().manual_seed(3)
            flows = [torch.randn(result.shape, generator=generator).to(result.dtype) for result in flowing]
            torch.autograd.backward(flowing, flows)
        gradients = [leaf.grad for leaf, _ in leaves.values()] + [parameter.grad for parameter in module.parameters()]
        sides.append((results, state, gradients))
    (mine, mine_state, mine_gradients), (other, other_state, other_gradients) = sides
    assert len(mine) == len(other), where
    for at, (a, b) in enumerate(zip(mine, other, strict=True)):
        assert bits_equal(a, b), (where, at)
        assert a.requires_grad == b.requires_grad, where
    assert torch.equal(mine_state, other_state), where
    for at, (a, b) in enumerate(zip(mine_gradients, other_gradients, strict=True)):
        assert bits_equal(a, b), (where, "gradient", at)


def _leaves(value: Any, leaves: dict[int, tuple[torch.Tensor, torch.Tensor]]) -> Any:
    """Copies of leaves, which a module may change in place; one tensor that is given twice is one copy."""
    if isinstance(value, tuple):
        return tuple(_leaves(item, leaves) for item in value)
    if not isinstance(value, torch.Tensor):
        return value
    if id(value) not in leaves:
        leaf = value.clone().requires_grad_(value.is_floating_point())
        leaves[id(value)] = (leaf, leaf.clone())
    return leaves[id(value)][1]


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of a result: C#'s LSTM gives (output, h, c), PyTorch's (output, (h, c))."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)
