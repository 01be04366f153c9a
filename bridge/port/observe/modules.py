"""Modules: whose class they are of, and the arguments that make a layer of PyTorch's like a given one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
from torch import nn

#: Where a constructor's argument is found on the module, if not in the attribute of its name.
_READ: Final[dict[tuple[str, str], Callable[[Any], Any]]] = {
    ("*", "bias"): lambda module: (
        module.bias is not None if hasattr(module, "bias") else getattr(module, "in_proj_bias", None) is not None
    ),
    ("MultiheadAttention", "bias"): lambda module: module.in_proj_bias is not None,
    ("MultiheadAttention", "add_bias_kv"): lambda module: module.bias_k is not None,
    ("MultiheadAttention", "kdim"): lambda module: None if module._qkv_same_embed_dim else module.kdim,
    ("MultiheadAttention", "vdim"): lambda module: None if module._qkv_same_embed_dim else module.vdim,
    **{(name, "bias"): lambda module: module.bias for name in ("LSTM", "GRU", "RNN")},
}
_EMPTY: Final = inspect.Parameter.empty
_SIZES: Final[dict[str, Any]] = {"input_size": _EMPTY, "hidden_size": _EMPTY, "num_layers": 1}
_WAYS: Final[dict[str, Any]] = {"bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
#: Parameters of constructors that take anything, with their defaults.
_RECURRENT: Final[dict[str, dict[str, Any]]] = {
    "LSTM": {**_SIZES, **_WAYS, "proj_size": 0},
    "GRU": {**_SIZES, **_WAYS},
    "RNN": {**_SIZES, "nonlinearity": "tanh", **_WAYS},
}
#: Arguments that say how the module is made, not what it is.
_LEFT_OUT: Final = frozenset({"device", "dtype", "_weight", "_freeze"})
#: Arguments whose parts may be equal without one number standing for all.
_WHOLE: Final = frozenset({"normalized_shape", "unflattened_size"})

#: Classes that take or give more than one tensor.
OF_MORE: Final = frozenset(
    {"Bilinear", "CosineSimilarity", "PairwiseDistance", "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell"}
    | {"MultiheadAttention", "Transformer"}
)


def is_layer(module: nn.Module) -> bool:
    """Return whether the module is PyTorch's own and no container."""
    kind = type(module)
    return kind.__module__.startswith("torch.nn.modules") and not isinstance(
        module, (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)
    )


#: The parameters of constructors that were read.
_KNOWN: Final[dict[type, dict[str, Any]]] = {}


def is_own(kind: type) -> bool:
    """Return whether a class has a forward of its own, so that it becomes a class of C#."""
    if not issubclass(kind, nn.Module) or kind.__module__.startswith("torch.nn.modules"):
        return False
    return not (kind.forward.__module__ or "").startswith("torch.nn.modules")


def parameters(kind: type) -> Mapping[str, Any]:
    """Return a constructor's parameters that say what the module is, with their defaults."""
    if kind not in _KNOWN:
        found = {
            one.name: one.default
            for one in inspect.signature(kind).parameters.values()
            if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
        }
        whole = _RECURRENT.get(kind.__name__, found)
        _KNOWN[kind] = {name: default for name, default in whole.items() if name not in _LEFT_OUT}
    return _KNOWN[kind]


def arguments(module: nn.Module) -> dict[str, Any]:
    """Return the arguments that make such a module, by PyTorch's names, without those that have their default."""
    found: dict[str, Any] = {}
    name = type(module).__name__
    for parameter, default in parameters(type(module)).items():
        read = _READ.get((name, parameter)) or _READ.get(("*", parameter))
        if read is None and not hasattr(module, parameter):
            continue
        value = read(module) if read else getattr(module, parameter)
        if isinstance(value, (tuple, list, torch.Size)):
            value = _one(tuple(value)) if parameter not in _WHOLE else tuple(value)
        pooled = name.startswith(("MaxPool", "AvgPool")) and parameter == "stride"
        if pooled and _one(value) == _one(getattr(module, "kernel_size", None)):
            continue
        if parameter == "bias" and not getattr(module, "affine", getattr(module, "elementwise_affine", True)):
            continue
        if default is _EMPTY or value != default:
            found[parameter] = value
    if name == "LayerNorm" and len(found.get("normalized_shape", ())) == 1:
        found["normalized_shape"] = found["normalized_shape"][0]
    return found


def _one(value: Any) -> Any:
    """Return the number that stands for a tuple of equal numbers."""
    return value[0] if isinstance(value, (tuple, list)) and len(set(value)) == 1 else value
