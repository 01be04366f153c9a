"""What recordings share: which module is which path, and leaves of arguments and results as trace values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

import numpy as np
import torch

from bridge.output.sentences import indefinite
from bridge.tensors import is_tensor
from bridge.trace import Trace, Value, digest

#: What is kept of tensors: shape, dtype and device only; a digest of the elements; or the elements.
Values = Literal["none", "digest", "full"]
_SMALL = re.compile(r"torch\.(u?int[1-7]|quint(4x2|2x4))")


@dataclass
class Recording:
    """A recording under way. :attr:`trace` is there when its ``with`` block has ended."""

    runtime: str
    values: Values
    #: What PyTorch's arguments and results are called, by the number of the call and the phase, a name for each leaf; a name of an
    #: item of a container is the container's and its place or key (``hx.0``). A result that is a tensor has none.
    labels: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict, repr=False)
    _trace: Trace | None = field(default=None, repr=False)

    @property
    def trace(self) -> Trace:
        """What was recorded. Raises RuntimeError inside the ``with`` block."""
        if self._trace is None:
            raise RuntimeError("the trace is available after the `with record(…)` block has ended")
        return self._trace


def named(models: torch.nn.Module | Mapping[str, torch.nn.Module]) -> dict[str, torch.nn.Module]:
    """Roots by name: one model has the root path "". Raises TypeError for what is not a module."""
    roots: dict[str, Any] = dict(models) if isinstance(models, Mapping) else {"": models}
    for name, model in roots.items():
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f"'{name or 'the model'}' is {indefinite(type(model).__name__)}, not a torch.nn.Module")
    return roots


def paths(roots: Mapping[str, torch.nn.Module]) -> dict[torch.nn.Module, str]:
    """Module paths by module; a shared one under its first path, in the order of ``named_modules``."""
    found: dict[torch.nn.Module, str] = {}
    for root, model in roots.items():
        if "named_modules" in vars(model):
            # It is walked under other names than its own (bridge.compare.models.renamed_model).
            for path, module in model.named_modules(prefix=root):
                found.setdefault(module, path)
        else:
            _walk(model, root, found)
    return found


def _walk(module: torch.nn.Module, path: str, found: dict[torch.nn.Module, str]) -> None:
    # named_modules resumes a generator at every level for every module: a third of the time that a short recording takes to start.
    if module in found:
        return
    found[module] = path
    for name, child in module._modules.items():
        if child is not None:
            _walk(child, f"{path}.{name}" if path else name, found)


def check_values(values: str) -> None:
    """Raises ValueError unless ``values`` is one of :data:`Values`."""
    if values not in ("none", "digest", "full"):
        raise ValueError(f"values must be 'none', 'digest' or 'full', not {values!r}")


def leaves(value: Any) -> list[Any]:
    """Tensors and plain values in order: tuples, lists, dictionaries and dataclasses are opened."""
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if is_dataclass(value) and not isinstance(value, type):
        return [leaf for item in fields_of(value).values() for leaf in leaves(item)]
    return [value]


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a dataclass as a dictionary."""
    return {one.name: getattr(value, one.name, None) for one in fields(value)}


def labelled(value: Any, name: str = "") -> list[str]:
    """What the :func:`leaves` of ``value`` are called, ``name`` in front."""
    if isinstance(value, (tuple, list)):
        # A named tuple is read by its names.
        names = getattr(value, "_fields", None) or range(len(value))
        items: Iterable[tuple[Any, Any]] = zip(names, value, strict=True)
    elif isinstance(value, dict):
        items = value.items()
    elif is_dataclass(value) and not isinstance(value, type):
        items = fields_of(value).items()
    else:
        return [name]
    return [label for key, item in items for label in labelled(item, f"{name}.{key}" if name else f"{key}")]


def trace_value(leaf: Any, values: Values) -> Value:
    """One leaf as a trace value, its elements as they are now."""
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
    """A tensor as a trace value."""
    if data is None or values == "none":
        return Value("tensor", shape, dtype, device)
    return Value("tensor", shape, dtype, device, digest(data), data=data if values == "full" else None)


def elements(tensor: torch.Tensor) -> np.ndarray | None:
    """A copy of a tensor's elements in NumPy, of the tensor's shape.

    What NumPy lacks is widened: bfloat16 and floats of 8 bits to float32, complex32 and bcomplex32 to complex64, quantized and sparse
    tensors to the dense ones that they represent; the ``bits`` types and float4 are their bytes. None where there are no elements
    (``meta``) or PyTorch itself cannot copy them (integers of 1 to 7 bits, quantized ones of 2 and 4).
    """
    if tensor.device.type == "meta" or _SMALL.fullmatch(str(tensor.dtype)):
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
