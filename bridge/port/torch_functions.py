"""PyTorch's functions: which of TorchSharp's classes has their counterparts, and what their parameters are called."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final

import torch
from torch import _jit_internal

from bridge.port.members import Argument, Constant, Lambda, Member, Text, call, escaped, overloads

#: Classes whose functions have no counterpart of the same name elsewhere.
OWN: Final = ("linalg", "fft")


def name_of(callee: Any) -> str:
    """What TorchSharp's class calls a function of torch's."""
    name, holder = str(callee.__name__), holder_of(callee)
    if holder not in OWN:
        return name
    name = name.removeprefix(f"{holder}_")
    return "fft_" if (holder, name) == ("fft", "fft") else name


def holder_of(callee: Any) -> str | None:
    """Which of TorchSharp's classes has the counterpart of a function of torch's; None where it is no such function."""
    module = getattr(callee, "__module__", None) or ""
    owner = getattr(callee, "__self__", None)
    if module == "torch.nn.functional" or getattr(owner, "__name__", "") == "torch._C._nn" or module == "torch._C._nn":
        return "functional"
    if module == "torch.nn.utils.rnn":
        return "rnn"
    if "special" in module or "special" in getattr(owner, "__name__", ""):
        return "special"
    if (inner := getattr(owner, "__name__", "").removeprefix("torch._C._")) in OWN:
        return inner
    if module.partition(".")[0] == "torch" or (isinstance(owner, type) and owner.__name__ == "_VariableFunctionsClass"):
        return "torch"
    return None


@cache
def _testing() -> dict[Any, Any]:
    return torch.overrides.get_testing_overrides()


def _signature(callee: Any) -> inspect.Signature | None:
    if isinstance(callee, types.FunctionType) and (choice := _jit_internal.boolean_dispatched.get(callee)) is not None:
        callee = choice["if_false"]  # one that gives indices too, if a flag is set
    for one in (callee, _testing().get(callee)):
        with suppress(TypeError, ValueError):
            return inspect.signature(one) if one is not None else None
    return None


#: Where PyTorch's own list of its functions' parameters is another than the function's.
_PARAMETERS: Final = {
    "bernoulli_": ["self", "p"],
    "repeat_interleave": ["self", "repeats", "dim"],
    "einsum": ["equation", "*operands"],
}


def parameters_of(callee: Any) -> list[str]:
    """The names, with a star where a parameter takes any number; empty where PyTorch does not say."""
    if (known := _PARAMETERS.get(getattr(callee, "__name__", ""))) is not None:
        return known
    signature = _signature(callee)
    if signature is None:
        return []
    kinds = inspect.Parameter
    return [
        f"*{one.name}" if one.kind is kinds.VAR_POSITIONAL else one.name
        for one in signature.parameters.values()
        if one.kind is not kinds.VAR_KEYWORD
    ]


_PREFIXES: Final = {
    "functional": "F",
    "special": "torch.special",
    "rnn": "torch.nn.utils.rnn",
    "linalg": "torch.linalg",
    "fft": "torch.fft",
}


def call_of(callee: Any, given: Mapping[str, Argument], order: Sequence[str]) -> tuple[str, Member] | None:
    """The call of a function of torch's counterpart, and that: of the first of TorchSharp's classes that has one for these arguments."""
    holder = holder_of(callee)
    if holder is None:
        return None
    name = name_of(callee)
    for where in (holder,) if holder in OWN else dict.fromkeys((holder, "functional", "torch", "special")):
        found = call(overloads(where, name), given, order)
        if found is not None:
            return f"{_PREFIXES.get(where, 'torch')}.{escaped(name)}({found[0]})", found[1]
    return None


def lambda_of(callee: Any) -> Lambda | None:
    """A function of torch's that is given one tensor; None for another function."""
    order = [name for name in parameters_of(callee) if not name.startswith("*")]
    found = call_of(callee, {order[0]: Text("x", "Tensor")}, order) if order else None
    return Lambda(f"x => {found[0]}") if found is not None and found[1].result == "Tensor" else None


def is_default(callee: Any, name: str, value: Argument) -> bool:
    """Whether the argument is what PyTorch takes without it."""
    signature = _signature(callee)
    if signature is None or name not in signature.parameters or not isinstance(value, Constant):
        return False
    default = signature.parameters[name].default
    return type(default) is type(value.value) and default == value.value
