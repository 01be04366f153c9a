"""PyTorch's functions: the names and classes of their counterparts in TorchSharp, and the defaults of their parameters."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final

import torch
from torch import _jit_internal

#: Classes whose functions are looked up in the same class alone: elsewhere, a member of the same name is no counterpart.
OWN: Final = ("linalg", "fft", "init")
#: Prefixes of TorchSharp's names, by PyTorch's module: ``torch.cuda.is_available`` is ``torch.cuda_is_available`` in TorchSharp.
_PREFIXES: Final = {"torch.cuda": "cuda_", "torch.backends.mps": "mps_"}
#: The names by which C# refers to TorchSharp's classes.
PATHS: Final = {
    "torch": "torch",
    "functional": "F",
    "special": "torch.special",
    "rnn": "torch.nn.utils.rnn",
    "linalg": "torch.linalg",
    "fft": "torch.fft",
    "init": "init",
}


def name_of(callee: Any) -> str:
    """Return the name that a function of torch has in TorchSharp."""
    name, holder = str(callee.__name__), holder_of(callee)
    if (prefix := _PREFIXES.get(getattr(callee, "__module__", None) or "")) is not None:
        return f"{prefix}{name}"
    if holder not in OWN:  # the __name__ of F.threshold is _threshold
        return name.lstrip("_") if holder == "functional" else name.removeprefix("special_")
    name = name.removeprefix(f"{holder}_")
    return "fft_" if (holder, name) == ("fft", "fft") else name


def holder_of(callee: Any) -> str | None:
    """Return the class of TorchSharp that has the counterpart of a function; None if ``callee`` is no function of torch."""
    module = getattr(callee, "__module__", None) or ""
    owner = getattr(getattr(callee, "__self__", None), "__name__", "")
    if "torch._C._nn" in (module, owner) or module == "torch.nn.functional":
        return "functional"
    if module == "torch.nn.init":
        return "init"
    if module == "torch.nn.utils.rnn":
        return "rnn"
    if "special" in module or "special" in owner:
        return "special"
    if (inner := (owner or module).removeprefix("torch._C._")) in OWN:
        return inner
    return "torch" if module.partition(".")[0] == "torch" or owner == "_VariableFunctionsClass" else None


def paths_of(callee: Any) -> tuple[str, ...]:
    """Return the classes of TorchSharp that may have the counterpart of a function, the likeliest first."""
    holder = holder_of(callee)
    if holder in OWN:
        return (holder,)
    return tuple(dict.fromkeys((holder or "torch", "functional", "torch", "special")))


@cache
def _testing() -> Mapping[Any, Any]:
    return torch.overrides.get_testing_overrides()


def _signatures(callee: Any) -> Iterator[inspect.Signature]:
    """Yield the signatures that Python knows of a function: its own, and its signature in PyTorch's testing overrides."""
    if isinstance(callee, types.FunctionType) and (choice := _jit_internal.boolean_dispatched.get(callee)) is not None:
        callee = choice["if_false"]  # the function for the flag's value False, which returns no indices
    for one in (callee, _testing().get(callee)):
        with suppress(TypeError, ValueError):
            if one is not None:
                yield inspect.signature(one)


def defaults_of(callee: Any) -> dict[str, Any]:
    """Return PyTorch's defaults by parameter, each from the operator's first schema with a default, else from Python's signature."""
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
    """Return whether the default of a parameter, such as ``out`` or ``layout``, does not matter for the values of the result."""
    return name in ("layout", "pin_memory", "memory_format", "out", "names", "generator")


def is_default(value: Any, default: Any) -> bool:
    """Return whether a value has the type and the value of PyTorch's default."""
    return type(default) is type(value) and bool(default == value)
