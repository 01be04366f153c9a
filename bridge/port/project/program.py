"""``Program.cs``: one call of the model with its weights, and its result on the screen."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

import torch

from bridge.port.project.rendering import render

#: The C# types whose values ``Console.WriteLine`` prints; for a collection, it prints the name of its type.
_PLAIN: Final = frozenset({"Tensor", "Tensor?", "bool", "double", "float", "int", "long", "string"})


def render_program(
    namespace: str, construction: str, arguments: Mapping[str, Any], runtime: str, result: str = ""
) -> str:
    """Return a program that loads the weights, calls the model with a random input of the sizes of ``arguments``, and prints the result.

    ``construction`` is the C# expression that constructs the model, ``result`` the C# type of the result, empty if it is not known.
    """
    inputs = ", ".join(map(_draw, arguments.values()))
    binds, prints = runtime == "bridge", result not in _PLAIN
    return render(
        "Program.cs", namespace=namespace, construction=construction, inputs=inputs, binds=binds, prints=prints
    )


def bound(value: torch.Tensor) -> int:
    """Return the least integer above the elements of a tensor; 1 if it has no elements."""
    return int(value.max()) + 1 if value.numel() else 1


def _draw(value: Any) -> str:
    """Return the C# expression for an input of the same kind, random if it is a tensor."""
    if isinstance(value, torch.Tensor):
        shape, dtype = f"[{', '.join(map(str, value.shape))}]", str(value.dtype).replace("torch.bool", "torch.@bool")
        if value.is_floating_point() or value.is_complex():
            ends = "" if value.dtype == torch.float32 else f", dtype: {dtype}"
            return f"torch.rand({shape}{ends})"
        ends = "" if value.dtype == torch.int64 else f", dtype: {dtype}"
        return f"torch.randint(0, {bound(value)}, {shape}{ends})"
    if isinstance(value, (list, tuple)):
        words = ", ".join(map(_draw, value))
        return f"({words})" if isinstance(value, tuple) else f"[{words}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and not math.isfinite(value):
        return "double.NaN" if math.isnan(value) else f"double.{'Positive' if value > 0 else 'Negative'}Infinity"
    return json.dumps(value) if isinstance(value, str) else repr(value)
