"""Modules: whether their class is PyTorch's or the model's, and the constructor arguments that make a layer like a given one."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
from torch import nn

from bridge.compare.io.inputs import calls_itself

#: Functions that read a constructor's argument from a module, by class and parameter, where the attribute of that name does not hold it.
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
#: The parameters, with their defaults, of constructors that are declared with ``*args`` and ``**kwargs``.
_RECURRENT: Final[dict[str, dict[str, Any]]] = {
    "LSTM": {**_SIZES, **_WAYS, "proj_size": 0},
    "GRU": {**_SIZES, **_WAYS},
    "RNN": {**_SIZES, "nonlinearity": "tanh", **_WAYS},
}
#: Arguments that say how the module is made, not what it is.
_LEFT_OUT: Final = frozenset({"device", "dtype", "_weight", "_freeze"})
#: Arguments that stay tuples, even if all their items are equal.
_WHOLE: Final = frozenset({"normalized_shape", "unflattened_size"})

#: Layers that take or return more than one tensor.
OF_MORE: Final = frozenset(
    {"Bilinear", "CosineSimilarity", "PairwiseDistance", "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell"}
    | {"MultiheadAttention", "Transformer"}
)


_CONTAINERS: Final = (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)


def is_layer(module: nn.Module) -> bool:
    """Return whether the module's class is PyTorch's own and no container, or a layer of einops."""
    kind = type(module)
    of_torch = kind.__module__.startswith("torch.nn.modules") and kind is not nn.Module
    return (of_torch and not isinstance(module, _CONTAINERS)) or is_einops(kind)


def is_einops(kind: type) -> bool:
    """Return whether a class is a layer of einops without parameters, which C# has a layer for."""
    return kind.__module__ == "einops.layers.torch" and kind.__name__ in ("Rearrange", "Reduce")


def container_of(module: nn.Module) -> type[nn.Module] | None:
    """Return the class of the list, chain or dictionary that a module is; ModuleDict for an ``nn.Module()``; None for another module."""
    if type(module) is nn.Module:
        return nn.ModuleDict
    return type(module) if isinstance(module, (nn.Sequential, nn.ModuleList, nn.ModuleDict)) else None


#: The constructor parameters that were read so far, by class.
_KNOWN: Final[dict[type, dict[str, Any]]] = {}


def is_own(kind: type) -> bool:
    """Return whether a class has a forward of its own, so that it becomes a class of C#."""
    if not issubclass(kind, nn.Module) or kind.__module__.startswith("torch.nn.modules") or is_einops(kind):
        return False
    return not (forward_of(kind).__module__ or "").startswith("torch.nn.modules")


def forward_of(kind: type[nn.Module]) -> Callable[..., Any]:
    """Return the function that a call of a module runs: its class's forward, or ``__call__`` if the class defines that instead."""
    return kind.__call__ if calls_itself(kind) else kind.forward


def chosen_forward(module: nn.Module) -> types.FunctionType | None:
    """Return the method of its class that a module has as its forward, set on the instance; None for any other forward."""
    found = vars(module).get("forward")
    if not isinstance(found, types.MethodType) or found.__self__ is not module:
        return None
    function = found.__func__
    if not isinstance(function, types.FunctionType):
        return None
    return function if vars(type(module)).get(function.__name__) is function else None


def find_inheriting(model: nn.Module) -> set[type[nn.Module]]:
    """Return the classes outside PyTorch that inherit a forward of PyTorch's; of containers, only the class of the whole model."""

    def inherits(module: nn.Module) -> bool:
        kind = type(module)
        foreign = kind.__module__.partition(".")[0] == "torch" or is_einops(kind)
        return not foreign and not is_own(kind) and (module is model or not isinstance(module, _CONTAINERS))

    return {type(module) for module in model.modules() if inherits(module)}


def is_chain(kind: type) -> bool:
    """Return whether a class outside PyTorch extends ``nn.Sequential``, and inherits its forward."""
    of_torch = kind.__module__.startswith("torch.nn.")
    return issubclass(kind, nn.Sequential) and not of_torch and kind.forward is nn.Sequential.forward


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
    """Return the constructor arguments that make a module like this, by PyTorch's names, without arguments that equal their default."""
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
    return {**found, **module.axes_lengths} if is_einops(type(module)) else found  # type: ignore[dict-item]  # a dictionary


def _one(value: Any) -> Any:
    """Return the first item of a tuple or list of equal items; another value unchanged."""
    return value[0] if isinstance(value, (tuple, list)) and len(set(value)) == 1 else value
