"""Layers that are called with one tensor, and their counterparts in torch.nn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn

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
