"""The comparison of tensors by name: gradients after a backward pass, buffers after a run, arguments and parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import torch

from bridge.compare.io.inputs import describe_value
from bridge.runtimes.recording import trace_value
from bridge.trace import Event, Trace
from bridge.trace.diff import diff

#: How messages name a tensor, by kind; a buffer is named by its name alone.
_PHRASES: Final = {
    "gradient": "the gradient of {}",
    "argument": "after forward, the argument {}",
    "parameter": "after forward, the parameter {}",
}


@dataclass(frozen=True, slots=True)
class NamedDifference:
    """A tensor that differs."""

    #: ``gradient``, ``buffer``, ``argument`` or ``parameter``.
    kind: str
    name: str
    message: str
    #: The largest absolute and the largest relative difference of elements; ``inf`` if not finite, or if the tensors differ in something
    #: else, such as the shape.
    absolute: float = math.inf
    relative: float = math.inf

    @property
    def path(self) -> str:
        return self.name.rpartition(".")[0]

    def __str__(self) -> str:
        return self.message


def compare_named(
    kind: str,
    a: Mapping[str, torch.Tensor | None],
    b: Mapping[str, torch.Tensor | None],
    runtimes: tuple[str, str],
    *,
    allowed: Callable[[str], tuple[float, float]] = lambda _: (0.0, 0.0),
) -> tuple[list[NamedDifference], float]:
    """Return the tensors that differ, and the largest absolute difference of all tensors, even if it is within tolerance.

    The tensors are in the order of ``a``, followed by those that only ``b`` has. A tensor that is None or absent in only one of them
    differs. Devices are not compared. ``allowed`` maps a name to ``rtol`` and ``atol``.
    """
    found: list[NamedDifference] = []
    largest = 0.0
    for name in dict.fromkeys((*a, *b)):
        x, y = a.get(name), b.get(name)
        phrase = _PHRASES.get(kind, "{}").format(name)
        if x is None or y is None:
            if x is not y:
                present, absent = runtimes if y is None else runtimes[::-1]
                found.append(NamedDifference(kind, name, f"{phrase}: present in {present}, missing in {absent}."))
            continue
        traces = [_trace(runtime, name, tensor) for runtime, tensor in zip(runtimes, (x, y), strict=True)]
        rtol, atol = allowed(name)
        result = diff(traces[0], traces[1], rtol=rtol, atol=atol)
        largest = max(largest, result.largest_difference)
        for difference in result.numeric:
            absolute, relative = difference.absolute, difference.relative
            if difference.kind == "arguments" and not difference.device_only:
                words = f"{describe_value(x)} in {runtimes[0]}, {describe_value(y)} in {runtimes[1]}"
                found.append(NamedDifference(kind, name, f"{phrase}: {words}."))
            elif difference.kind == "values":
                words = f"differs by up to {absolute:.3g} (relative {relative:.3g}) in {difference.elements} of {x.numel()} numbers"
                found.append(NamedDifference(kind, name, f"{phrase} {words}.", absolute, relative))
    return found, largest


def _trace(runtime: str, name: str, tensor: torch.Tensor) -> Trace:
    return Trace(runtime, [Event(0, name, "Tensor", "forward", 0, -1, values=(trace_value(tensor, "full"),))])
