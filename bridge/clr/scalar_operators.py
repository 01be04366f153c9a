"""Operators that replace those that take a Scalar, which libtorch's stable ABI cannot carry.

``aten::pow.Tensor_Scalar(Tensor self, Scalar exponent)`` gets ``bridge::pow__Tensor_Scalar__f`` with a float in place of the Scalar,
``__i`` with an int and ``__b`` with a bool. They call the real operator, under CompositeImplicitAutograd: graph, dtype and rounding
are the real one's. Their kernels are Python's and take the GIL themselves, so any .NET thread may call them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import torch

#: Suffixes, and the type that each gives a Scalar.
KINDS = {"f": "float", "i": "int", "b": "bool"}
_SCALAR = re.compile(r"\bScalar(?=[ ?\[])")
_DEFAULT = re.compile(r"=(\[[^\]]*\]|[^,)]+)")
#: What the ABI cannot ask for either: name and arguments, then the function. A list is empty for None.
_OTHERS: dict[str, Callable[..., Any]] = {
    "grad(Tensor self) -> Tensor[]": lambda tensor: [] if tensor.grad is None else [tensor.grad],
    "set_grad(Tensor self, Tensor[] grad) -> ()": lambda tensor, grad: setattr(
        tensor, "grad", grad[0] if grad else None
    ),
    "manual_seed(int seed) -> ()": lambda seed: torch.manual_seed(seed) and None,
    "device_count() -> int": lambda: torch.cuda.device_count(),
}
_library: Any = None
_defined: set[str] = set()


def define(operators: Iterable[str]) -> list[str]:
    """Registers replacements for those of ``operators`` (``aten::add.Tensor``) that take a Scalar. Returns the names of all replacements.

    Operators that this torch lacks are left out. Defining twice does nothing the second time.
    """
    global _library
    if _library is None:
        # It lives as long as the process: dropping it unregisters.
        _library = torch.library.Library("bridge", "DEF")  # type: ignore[no-untyped-call]
        for schema, function in _OTHERS.items():
            _add(schema.partition("(")[0], schema, function)
    for operator in operators:
        name, _, overload = operator.partition(".")
        try:
            schema = str(torch._C._get_schema(name, overload))
        except RuntimeError:
            continue
        if not _SCALAR.search(schema):
            continue
        base = name.partition("::")[2]
        function = getattr(getattr(torch.ops.aten, base), overload or "default")
        signature = _DEFAULT.sub("", schema[schema.index("(") :])
        for kind, word in KINDS.items():
            replacement = f"{base}__{overload or 'default'}__{kind}"
            _add(replacement, replacement + _SCALAR.sub(word, signature), _positional(function))
    return sorted(_defined)


def _positional(function: Any) -> Callable[..., Any]:
    keywords = [argument.name for argument in function._schema.arguments if argument.kwarg_only]
    if not keywords:
        return lambda *arguments: function(*arguments)

    def call(*arguments: Any, **given: Any) -> Any:
        return function(*arguments, **given)

    return call


def _add(name: str, schema: str, function: Callable[..., Any]) -> None:
    if f"bridge::{name}" in _defined:
        return
    _library.define(schema)
    _library.impl(name, function, "CompositeImplicitAutograd")
    _defined.add(f"bridge::{name}")
