"""PyTorch's own modules as C# makes them: ``Conv2d(3, 64, 7, stride: 2, padding: 3, bias: false)``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
from torch import nn

from bridge.port.members import Argument, Constant, Text, call, overloads

#: Where a constructor's argument is found on the module, if not in the attribute of its name.
_READ: Final[dict[tuple[str, str], Callable[[Any], Any]]] = {
    ("*", "bias"): lambda module: (
        module.bias is not None if hasattr(module, "bias") else getattr(module, "in_proj_bias", None) is not None
    ),
    ("MultiheadAttention", "bias"): lambda module: module.in_proj_bias is not None,
    ("MultiheadAttention", "add_bias_kv"): lambda module: module.bias_k is not None,
    ("MultiheadAttention", "kdim"): lambda module: None if module._qkv_same_embed_dim else module.kdim,
    ("MultiheadAttention", "vdim"): lambda module: None if module._qkv_same_embed_dim else module.vdim,
    ("LSTM", "bias"): lambda module: module.bias,
    ("GRU", "bias"): lambda module: module.bias,
    ("RNN", "bias"): lambda module: module.bias,
}
_RECURRENT: Final = ("input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional")
#: Parameters of constructors that take anything, with their defaults.
_PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    name: dict(
        zip(_RECURRENT, (inspect.Parameter.empty, inspect.Parameter.empty, 1, True, False, 0.0, False), strict=True)
    )
    for name in ("LSTM", "GRU", "RNN")
}
#: Arguments that say how the module is made, not what it is.
_LEFT_OUT: Final = frozenset({"device", "dtype", "_weight", "_freeze"})
#: Arguments that TorchSharp lacks and that change no value.
_WITHOUT_EFFECT: Final = frozenset({"inplace", "init"})

#: TorchSharp's classes that take or give more than one tensor.
OF_MORE: Final = (
    "Bilinear",
    "CosineSimilarity",
    "PairwiseDistance",
    "LSTM",
    "GRU",
    "RNN",
    "MultiheadAttention",
    "Transformer",
)


def is_layer(module: nn.Module) -> bool:
    """Whether the module is PyTorch's own and no container."""
    kind = type(module)
    return kind.__module__.startswith("torch.nn.modules") and not isinstance(
        module, (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)
    )


def name_of(module: nn.Module) -> str:
    """The name of the class in TorchSharp."""
    name = type(module).__name__
    return "Linear" if name == "NonDynamicallyQuantizableLinear" else name


def arguments(module: nn.Module) -> dict[str, Any]:
    """The arguments that make such a module, by PyTorch's names, without those that have their default."""
    found: dict[str, Any] = {}
    name = type(module).__name__
    for parameter, default in parameters(type(module)).items():
        read = _READ.get((name, parameter)) or _READ.get(("*", parameter))
        if read is None and not hasattr(module, parameter):
            continue
        value = read(module) if read else getattr(module, parameter)
        if isinstance(value, (tuple, list, torch.Size)):
            value = tuple(value)
            value = (
                value[0]
                if len(set(value)) == 1 and parameter not in ("normalized_shape", "unflattened_size")
                else value
            )
        if (
            name.startswith(("MaxPool", "AvgPool"))
            and parameter == "stride"
            and _one(value) == _one(module.kernel_size)
        ):
            continue
        if default is inspect.Parameter.empty or value != default:
            found[parameter] = value
    if name == "LayerNorm" and len(found.get("normalized_shape", ())) == 1:
        found["normalized_shape"] = found["normalized_shape"][0]
    return found


def parameters(kind: type) -> dict[str, Any]:
    """A constructor's parameters that say what the module is, with their defaults."""
    found = {
        one.name: one.default
        for one in inspect.signature(kind).parameters.values()
        if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    }
    return {
        name: default for name, default in (_PARAMETERS.get(kind.__name__) or found).items() if name not in _LEFT_OUT
    }


def _one(value: Any) -> Any:
    return value[0] if isinstance(value, (tuple, list)) and len(set(value)) == 1 else value


def written(module: nn.Module, replaced: Mapping[str, Text], rank: int = 0) -> str | None:
    """The C# expression that makes it; ``replaced`` are arguments that are no constants, ``rank`` is how many dimensions its input had, if
    that is known. None where TorchSharp has no such module."""
    name = name_of(module)
    given: dict[str, Argument] = {**{key: Constant(value) for key, value in arguments(module).items()}, **replaced}
    order = list(parameters(type(module)))
    if name == "GELU" and "approximate" in given:
        return "GELU(TorchSharp.Modules.GELU.Approximate.tanh)"
    if isinstance(module, nn.Upsample):  # TorchSharp has a size and a scale for each dimension
        each = {key: value for key, value in given.items() if key in ("size", "scale_factor") and rank > 2}
        given |= {
            key: Constant((value.value,) * (rank - 2))
            for key, value in each.items()
            if isinstance(value, Constant) and isinstance(value.value, (int, float))
        }
    if name == "Identity":
        return "Identity()"
    for left in (given, {key: value for key, value in given.items() if key not in _WITHOUT_EFFECT}):
        found = call(overloads("nn", name), left, order)
        if found is not None:
            return f"{name}({found[0]})"
    return None
