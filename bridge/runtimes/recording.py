"""Recordings, module paths, and the conversion of arguments and results to trace values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

import numpy as np
import torch

from bridge.mirror.crossing.objects import DotNetObject, data_of
from bridge.tensors import is_tensor
from bridge.trace import Trace, Value, digest
from hook_contract.output.sentences import with_article

#: The data that is recorded of tensors besides shape, dtype and device: nothing, a digest of the elements, or the digest and the elements.
Values = Literal["none", "digest", "full"]
#: Dtypes whose tensors PyTorch cannot copy.
_UNCOPYABLE = re.compile(r"torch\.(u?int[1-7]|quint(4x2|2x4))")


@dataclass
class Recording:
    """The result of :func:`bridge.record`. Its :attr:`trace` is available after the ``with`` block."""

    runtime: str
    values: Values
    #: The names of arguments and results by call number and phase, one for each leaf (:func:`leaves`). Only recordings of PyTorch and of
    #: TorchSharp in this process have names. The name of an item ends in its index (``hx.0`` in a tuple or list), its key (in a dictionary)
    #: or its field's name (in a named tuple, dataclass or C# object). A result that is itself a leaf, such as a tensor, has the name "".
    labels: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict, repr=False)
    _trace: Trace | None = field(default=None, repr=False)

    @property
    def trace(self) -> Trace:
        """Return the recorded trace. Raises RuntimeError inside the ``with`` block."""
        if self._trace is None:
            raise RuntimeError("the trace is available after the `with record(…)` block has ended")
        return self._trace


def root_modules(models: torch.nn.Module | Mapping[str, torch.nn.Module]) -> dict[str, torch.nn.Module]:
    """Return the root modules by name. A single model has the name "". Raises TypeError for an object that is not a module."""
    roots: dict[str, Any] = dict(models) if isinstance(models, Mapping) else {"": models}
    for name, model in roots.items():
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f"'{name or 'the model'}' is {with_article(type(model).__name__)}, not a torch.nn.Module")
    return roots


def paths(roots: Mapping[str, torch.nn.Module]) -> dict[torch.nn.Module, str]:
    """Return the path of each module. A shared module has the first of its paths in the order of ``named_modules``."""
    found: dict[torch.nn.Module, str] = {}
    for root, model in roots.items():
        if model not in found:
            found[model] = root
            _walk(model, root, found)
    return found


def _walk(module: torch.nn.Module, path: str, found: dict[torch.nn.Module, str]) -> None:
    # ``named_modules``, a chain of generators, would make the start of a recording slower, and so would a call for each leaf.
    for name, child in module._modules.items():
        if child is not None and child not in found:
            found[child] = place = f"{path}.{name}" if path else name
            if child._modules:
                _walk(child, place, found)


def check_values(values: str) -> None:
    """Raise ValueError unless ``values`` is one of :data:`Values`."""
    if values not in ("none", "digest", "full"):
        raise ValueError(f"values must be 'none', 'digest' or 'full', not {values!r}")


def leaves(value: Any) -> list[Any]:
    """Return the leaves, the innermost values, of nested tuples, lists, dictionaries, dataclasses and C# objects, in order."""
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    items = fields_of(value)
    return [value] if items is None else [leaf for item in items.values() for leaf in leaves(item)]


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass, or the public fields and auto-properties of a C# object, by name.

    Returns None for other values, and for a C# object that has none.
    """
    if isinstance(value, DotNetObject):
        return data_of(value) or None
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name, None) for item in fields(value)}
    return None


def leaf_names(value: Any, name: str = "") -> list[str]:
    """Return the names of the :func:`leaves` of ``value``. Each begins with ``name``, the name of ``value`` itself."""
    if isinstance(value, (tuple, list)):
        names = getattr(value, "_fields", None) or range(len(value))
        items: Iterable[tuple[Any, Any]] = zip(names, value, strict=True)
    elif isinstance(value, dict):
        items = value.items()
    elif (by_name := fields_of(value)) is not None:
        items = by_name.items()
    else:
        return [name]
    return [label for key, item in items for label in leaf_names(item, f"{name}.{key}" if name else f"{key}")]


def trace_value(leaf: Any, values: Values) -> Value:
    """Return the trace value of a leaf. Unless ``values`` is ``none``, a tensor's elements are copied."""
    if is_tensor(leaf):
        data = elements(leaf) if values != "none" else None
        return tensor_value(tuple(leaf.shape), str(leaf.dtype)[6:], str(leaf.device), data, values)
    if leaf is None:
        return Value("none")
    for kind in (bool, int, float, str):
        if isinstance(leaf, kind):
            return Value(kind.__name__, literal=leaf)
    return Value("object")


def tensor_value(shape: tuple[int, ...], dtype: str, device: str, data: np.ndarray | None, values: Values) -> Value:
    if data is None or values == "none":
        return Value("tensor", shape, dtype, device)
    return Value("tensor", shape, dtype, device, digest(data), data=data if values == "full" else None)


def elements(tensor: torch.Tensor) -> np.ndarray | None:
    """Copy a tensor's elements to a NumPy array of the same shape.

    Dtypes that NumPy lacks are converted: bfloat16 and 8-bit floats to float32, complex32 and bcomplex32 to complex64, float4 and ``bits``
    types to unsigned integers of the same size. Quantized tensors are dequantized, sparse ones become dense. Returns None for tensors
    on the device ``meta`` and for dtypes that PyTorch cannot copy (integers of 1 to 7 bits, quantized dtypes of 2 and 4 bits).
    """
    if tensor.device.type == "meta" or _UNCOPYABLE.fullmatch(str(tensor.dtype)):
        return None
    plain = tensor.detach()
    if plain.is_quantized:
        plain = plain.dequantize()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    plain = plain.resolve_conj().resolve_neg().cpu()
    name = str(plain.dtype)[6:]
    if name in ("bfloat16", "complex32", "bcomplex32") or name.startswith("float8"):
        plain = plain.to(torch.complex64 if plain.is_complex() else torch.float32)
    elif name.startswith(("bits", "float4")):
        plain = plain.contiguous().view(torch.uint16 if plain.element_size() == 2 else torch.uint8)
    return np.array(plain.numpy())
