"""The built-in modules of TorchSharp: PyTorch's class for each, and the C# property for each argument of the class's constructor.

A row of ``ROWS`` has entries for arguments of the constructor, separated by spaces. An entry is ``ARGUMENT``, a sign and ``NAME``:
``lambd=lambda`` passes the C# property ``lambda`` as ``lambd``. Without ``NAME``, the property has the argument's name (``momentum|``).
Without sign and ``NAME``, the sign is ``=`` (``eps``). A ``NAME`` that begins with ``_`` is a private field. An argument is left out if its
property is null, unless the sign is ``|``. The signs are:

- ``=name``: The value of the property.
- ``|name``: The value of the property, None for null.
- ``~name``: A tuple with a number for each dimension, or one number if all are equal.
- ``#name``: The name of an enumeration's member, in lower case as in PyTorch.
- ``?name``: Whether the module has a parameter, buffer or child of this name.
- ``!name``: No argument. If the property ``name`` is true, PyTorch's class cannot do what the module does.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import torch
from torch import nn
from torch.nn.modules import module as global_hooks

Properties = Mapping[str, Any]

_REGISTRATIONS: Final = tuple(f"_global_{kind}_registration_hooks" for kind in ("parameter", "buffer", "module"))

_CONVOLUTION: Final = "in_channels out_channels kernel_size stride dilation groups bias?bias padding_mode#padding_mode"
_MAX: Final = "kernel_size~ stride~ padding~ dilation~ ceil_mode"
_AVERAGE: Final = "kernel_size~ stride~ padding~ ceil_mode count_include_pad"
_UNPOOL: Final = "kernel_size~ stride~ padding~"
_FRACTIONAL: Final = "kernel_size~ output_size~ output_ratio~"
_NORM: Final = "num_features eps momentum| affine track_running_stats"
_SHAPES: Final = "kernel_size~ dilation~ padding~ stride~"
_EMBEDDING: Final = (
    "num_embeddings embedding_dim max_norm=_maxNorm norm_type=_normType scale_grad_by_freq=_byFrequency sparse=_sparse"
)
_RECURRENT: Final = (
    "input_size=InputSize hidden_size=HiddenSize num_layers=Layers bias=HasBias batch_first=BatchFirst dropout=Dropout"
    " bidirectional=Bidirectional"
)
_CELL: Final = "input_size=_input hidden_size=_hidden bias?bias_ih"
_REDUCTION: Final = "reduction#"

ROWS: Final[dict[str, str]] = {
    "AdaptiveAvgPool1d": "output_size",
    "AdaptiveAvgPool2d": "output_size",
    "AdaptiveAvgPool3d": "output_size",
    "AdaptiveMaxPool1d": "output_size",
    "AdaptiveMaxPool2d": "output_size",
    "AdaptiveMaxPool3d": "output_size",
    "AlphaDropout": "p inplace",
    "AvgPool1d": _AVERAGE,
    "AvgPool2d": _AVERAGE + " divisor_override",
    "AvgPool3d": _AVERAGE + " divisor_override",
    "BCELoss": _REDUCTION,
    "BCEWithLogitsLoss": _REDUCTION,
    "BatchNorm1d": _NORM,
    "BatchNorm2d": _NORM,
    "BatchNorm3d": _NORM,
    "Bilinear": "in1_features in2_features out_features bias?bias",
    "CELU": "alpha inplace",
    "CTCLoss": "blank zero_infinity reduction#",
    "ChannelShuffle": "groups",
    "ConstantPad1d": "padding value",
    "ConstantPad2d": "padding value",
    "ConstantPad3d": "padding value",
    "Conv1d": _CONVOLUTION,
    "Conv2d": _CONVOLUTION,
    "Conv3d": _CONVOLUTION,
    "ConvTranspose1d": _CONVOLUTION + " output_padding",
    "ConvTranspose2d": _CONVOLUTION + " output_padding",
    "ConvTranspose3d": _CONVOLUTION + " output_padding",
    "CosineEmbeddingLoss": "margin reduction#",
    "CosineSimilarity": "dim eps",
    "CrossEntropyLoss": "ignore_index label_smoothing reduction#",
    "Dropout": "p inplace",
    "Dropout1d": "p inplace",
    "Dropout2d": "p inplace",
    "Dropout3d": "p inplace",
    "ELU": "alpha inplace",
    "Embedding": _EMBEDDING + " padding_idx",
    "EmbeddingBag": _EMBEDDING + " mode#_mode include_last_offset=_withLast padding_idx=_padding",
    "FeatureAlphaDropout": "p inplace",
    "Flatten": "start_dim end_dim",
    "Fold": "output_size~ " + _SHAPES,
    "FractionalMaxPool2d": _FRACTIONAL,
    "FractionalMaxPool3d": _FRACTIONAL,
    "GELU": "approximate# !inplace",
    "GLU": "dim",
    "GRU": _RECURRENT,
    "GRUCell": _CELL,
    "GaussianNLLLoss": "full eps reduction#",
    "GroupNorm": "num_groups num_channels eps affine",
    "Hardshrink": "lambd=lambda",
    "Hardsigmoid": "inplace",
    "Hardswish": "inplace",
    "Hardtanh": "min_val max_val inplace",
    "HingeEmbeddingLoss": "margin reduction#",
    "HuberLoss": "delta reduction#",
    "Identity": "",
    "InstanceNorm1d": _NORM,
    "InstanceNorm2d": _NORM,
    "InstanceNorm3d": _NORM,
    "KLDivLoss": "log_target reduction#",
    "L1Loss": _REDUCTION,
    "LPPool1d": "norm_type kernel_size stride ceil_mode",
    "LPPool2d": "norm_type kernel_size~ stride~GivenStride ceil_mode",
    "LSTM": _RECURRENT,
    "LSTMCell": _CELL,
    "LayerNorm": "normalized_shape eps elementwise_affine bias?bias",
    "LeakyReLU": "negative_slope inplace",
    "Linear": "in_features out_features bias?bias",
    "LocalResponseNorm": "size alpha beta k",
    "LogSigmoid": "",
    "LogSoftmax": "dim",
    "MSELoss": _REDUCTION,
    "MarginRankingLoss": "margin reduction#",
    "MaxPool1d": _MAX,
    "MaxPool2d": _MAX,
    "MaxPool3d": _MAX,
    "MaxUnpool1d": _UNPOOL,
    "MaxUnpool2d": _UNPOOL,
    "MaxUnpool3d": _UNPOOL,
    "Mish": "inplace",
    "MultiLabelMarginLoss": _REDUCTION,
    "MultiLabelSoftMarginLoss": _REDUCTION,
    "MultiMarginLoss": "p margin reduction#",
    "MultiheadAttention": "embed_dim=Size num_heads=Heads dropout=Dropout bias?in_proj_bias add_bias_kv?bias_k add_zero_attn=AddsZero"
    " kdim=KeySize vdim=ValueSize",
    "NLLLoss": _REDUCTION,
    "NonDynamicallyQuantizableLinear": "in_features out_features bias?bias",
    "PReLU": "num_parameters init",
    "PairwiseDistance": "p=norm eps keepdim",
    "PixelShuffle": "upscale_factor",
    "PixelUnshuffle": "downscale_factor",
    "PoissonNLLLoss": "log_input full eps reduction#",
    "RNN": _RECURRENT,
    "RNNCell": _CELL,
    "RReLU": "lower upper inplace",
    "ReLU": "inplace",
    "ReLU6": "inplace",
    "ReflectionPad1d": "padding",
    "ReflectionPad2d": "padding",
    "ReflectionPad3d": "padding",
    "ReplicationPad1d": "padding",
    "ReplicationPad2d": "padding",
    "ReplicationPad3d": "padding",
    "SELU": "inplace",
    "SiLU": "inplace",
    "Sigmoid": "!inplace",
    "SmoothL1Loss": "beta reduction#",
    "SoftMarginLoss": _REDUCTION,
    "Softmax": "dim",
    "Softmax2d": "",
    "Softmin": "dim",
    "Softplus": "beta threshold",
    "Softshrink": "lambd=lambda",
    "Softsign": "!inplace",
    "Tanh": "!inplace",
    "Tanhshrink": "!inplace",
    "Threshold": "threshold value inplace",
    "TripletMarginLoss": "margin p eps=_eps swap=_swap reduction#",
    "TripletMarginWithDistanceLoss": "margin swap=_swap reduction# !HasOwnDistance",
    "Unflatten": "dim unflattened_size",
    "Unfold": _SHAPES,
    "Upsample": "size=_size scale_factor=_scale_factor mode# align_corners recompute_scale_factor",
    "ZeroPad2d": "padding",
}
#: PyTorch's containers of modules and parameters. :func:`make` creates them empty.
COLLECTIONS: Final[dict[str, type[nn.Module]]] = {
    "Sequential": nn.Sequential,
    "ModuleList": nn.ModuleList,
    "ModuleDict": nn.ModuleDict,
    "ParameterList": nn.ParameterList,
    "ParameterDict": nn.ParameterDict,
}


def torch_class(name: str) -> type[nn.Module] | None:
    """Return PyTorch's class for the TorchSharp class of this name (without type parameters); None if no table here has the name."""
    if name == "NonDynamicallyQuantizableLinear":
        return nn.modules.linear.NonDynamicallyQuantizableLinear
    if name in ROWS or name in _TRANSFORMERS or name in COLLECTIONS:
        return getattr(nn, name)  # type: ignore[no-any-return]  # each name is that of a module class
    return None


def properties_of(name: str) -> dict[str, tuple[str, str]]:
    """Return, for each argument that the row of ``name`` takes from a C# property, the sign and the property's name; {} without a row."""
    return {argument: (sign, source) for argument, sign, source in _entries(name) if sign not in "?!"}


def constructor_arguments(name: str, properties: Properties, tensors: Collection[str]) -> dict[str, Any] | None:
    """Return the arguments of PyTorch's constructor for a TorchSharp module; None if PyTorch's class cannot do what the module does.

    ``tensors`` are the names of the module's parameters, buffers and children.
    """
    arguments: dict[str, Any] = {}
    for argument, sign, source in _entries(name):
        if sign == "?":
            arguments[argument] = source in tensors
            continue
        value = properties[source]
        if sign == "!":
            if value:
                return None
        elif value is not None or sign == "|":
            arguments[argument] = _convert(value, sign)
    return arguments | _EXTRA_ARGUMENTS[name](properties) if name in _EXTRA_ARGUMENTS else arguments


def make(name: str, properties: Properties, tensors: Collection[str]) -> nn.Module | None:
    """Create PyTorch's module for a TorchSharp module, with tensors on the meta device.

    Returns None if no PyTorch class can do what the TorchSharp module does.
    """
    kind = torch_class(name)
    if kind is None:
        return None
    # On the meta device, no random numbers are drawn and no memory is allocated.
    with torch.device("meta"), _without_registration_hooks(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about arguments, which C# has chosen
        if name in _TRANSFORMERS:
            return _TRANSFORMERS[name](properties, tensors)
        given = constructor_arguments(name, properties, tensors)
        return None if given is None else kind(**given)


@contextmanager
def _without_registration_hooks() -> Iterator[None]:
    """Disable the global registration hooks, which are called later for the tensors and modules of C#."""
    hooks_by_name = {name: getattr(global_hooks, name) for name in _REGISTRATIONS if getattr(global_hooks, name)}
    for name in hooks_by_name:
        setattr(global_hooks, name, OrderedDict())
    try:
        yield
    finally:
        for name, hooks in hooks_by_name.items():
            setattr(global_hooks, name, hooks)


def _entries(name: str) -> Iterator[tuple[str, str, str]]:
    for entry in ROWS.get(name, "").split():
        if entry[0] == "!":
            yield entry[1:], "!", entry[1:]
            continue
        for sign in "=?~#|":
            argument, separator, source = entry.partition(sign)
            if separator:
                yield argument, sign, source or argument
                break
        else:
            yield entry, "=", entry


def _convert(value: Any, sign: str) -> Any:
    if isinstance(value, list):
        return value[0] if sign == "~" and len(set(value)) == 1 else tuple(value)
    return value.lower() if sign == "#" else value


def _padding(properties: Properties) -> dict[str, Any]:
    named = properties["padding_type"]
    return {"padding": tuple(properties["padding"]) if named is None else named.lower()}


def _nonlinearity(properties: Properties) -> dict[str, Any]:
    return {"nonlinearity": "tanh" if properties["_tanh"] else "relu"}


def _layer(properties: Properties, kind: type[nn.Module] = nn.TransformerEncoderLayer) -> nn.Module:
    width, heads, inner, dropout, activation = properties["Settings"]
    return kind(width, heads, inner, dropout, activation.lower())


def _stack(kind: type[nn.Module], layer: type[nn.Module]) -> Callable[[Properties, Collection[str]], nn.Module]:
    def create(properties: Properties, tensors: Collection[str]) -> nn.Module:
        norm = nn.LayerNorm(properties["Settings"][0]) if "norm" in tensors else None
        return kind(_layer(properties, layer), properties["Count"], norm)

    return create


def _transformer(properties: Properties, _: Collection[str]) -> nn.Module:
    width, heads, encoders, decoders, inner, dropout, activation = properties["Settings"]
    return nn.Transformer(width, heads, encoders, decoders, inner, dropout, activation.lower())


#: Functions that return the constructor arguments that a row cannot express.
_EXTRA_ARGUMENTS: Final[dict[str, Callable[[Properties], dict[str, Any]]]] = {
    **dict.fromkeys(("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"), _padding),
    "RNN": _nonlinearity,
    "RNNCell": _nonlinearity,
}
#: Functions that create the transformer modules, which have no rows.
_TRANSFORMERS: Final[dict[str, Callable[[Properties, Collection[str]], nn.Module]]] = {
    "TransformerEncoderLayer": lambda properties, _: _layer(properties),
    "TransformerDecoderLayer": lambda properties, _: _layer(properties, nn.TransformerDecoderLayer),
    "TransformerEncoder": _stack(nn.TransformerEncoder, nn.TransformerEncoderLayer),
    "TransformerDecoder": _stack(nn.TransformerDecoder, nn.TransformerDecoderLayer),
    "Transformer": _transformer,
}
