"""PyTorch's functions: their counterparts among TorchSharp's classes, and what they take where a call says nothing."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final

import torch
from torch import _jit_internal

#: Classes whose functions have no counterpart of the same name elsewhere.
OWN: Final = ("linalg", "fft")
#: How TorchSharp's classes are written.
PATHS: Final = {
    "torch": "torch",
    "functional": "F",
    "special": "torch.special",
    "rnn": "torch.nn.utils.rnn",
    "linalg": "torch.linalg",
    "fft": "torch.fft",
}


def name_of(callee: Any) -> str:
    """Return the name of a function of torch's in TorchSharp's class."""
    name, holder = str(callee.__name__), holder_of(callee)
    if holder not in OWN:  # F.threshold is called _threshold
        return name.lstrip("_") if holder == "functional" else name.removeprefix("special_")
    name = name.removeprefix(f"{holder}_")
    return "fft_" if (holder, name) == ("fft", "fft") else name


def holder_of(callee: Any) -> str | None:
    """Return which of TorchSharp's classes has the counterpart of a function of torch's; None where it is no such function."""
    module = getattr(callee, "__module__", None) or ""
    owner = getattr(getattr(callee, "__self__", None), "__name__", "")
    if "torch._C._nn" in (module, owner) or module == "torch.nn.functional":
        return "functional"
    if module == "torch.nn.utils.rnn":
        return "rnn"
    if "special" in module or "special" in owner:
        return "special"
    if (inner := (owner or module).removeprefix("torch._C._")) in OWN:
        return inner
    return "torch" if module.partition(".")[0] == "torch" or owner == "_VariableFunctionsClass" else None


def paths_of(callee: Any) -> tuple[str, ...]:
    """Return the classes of TorchSharp's that may have the counterpart, the likeliest first."""
    holder = holder_of(callee)
    if holder in OWN:
        return (holder,)
    return tuple(dict.fromkeys((holder or "torch", "functional", "torch", "special")))


@cache
def _testing() -> Mapping[Any, Any]:
    return torch.overrides.get_testing_overrides()


def _signatures(callee: Any) -> Iterator[inspect.Signature]:
    """Yield what Python knows of a function's parameters."""
    if isinstance(callee, types.FunctionType) and (choice := _jit_internal.boolean_dispatched.get(callee)) is not None:
        callee = choice["if_false"]  # the function without indices, which a flag asks for
    for one in (callee, _testing().get(callee)):
        with suppress(TypeError, ValueError):
            if one is not None:
                yield inspect.signature(one)


def defaults_of(callee: Any) -> dict[str, Any]:
    """Return PyTorch's defaults by the names of the parameters: of its schemas, the first that has one, else of Python's signature."""
    found: dict[str, Any] = {}
    operator = str(getattr(callee, "__name__", ""))
    schemas = () if _is_python(callee) else torch._C._jit_get_schemas_for_operator(f"aten::{operator}")
    for schema in schemas:
        for one in schema.arguments:
            if one.has_default_value():
                found.setdefault(one.name, one.default_value)
    for signature in _signatures(callee):
        for name, parameter in signature.parameters.items():
            if parameter.default is not parameter.empty:
                found.setdefault(name, parameter.default)
    return {name: value for name, value in found.items() if not _is_foreign(name)}


def _is_python(callee: Any) -> bool:
    return isinstance(callee, (types.FunctionType, type))


def _is_foreign(name: str) -> bool:
    """Return whether a default says nothing of the result: types and devices, which follow from the inputs where they are None."""
    return name in ("layout", "pin_memory", "memory_format", "out", "names", "generator")


def is_default(value: Any, default: Any) -> bool:
    """Return whether a value that is known is what PyTorch takes without it."""
    return type(default) is type(value) and bool(default == value)
