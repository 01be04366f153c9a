"""Tensors by name, compared: gradients after a backward pass, buffers after a run in train mode."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from bridge.runtimes.recording import trace_value
from bridge.trace import Event, Trace
from bridge.trace.diff import diff

#: A momentum that explains both sides is reported when what the two buffers moved by fits one factor this well.
_FIT = 1e-3
#: What a tensor is called, where not by its name alone.
_WHAT = {
    "gradient": "the gradient of {}",
    "argument": "{}, which the model was given,",
    "parameter": "after forward, the parameter {}",
}


@dataclass(frozen=True, slots=True)
class NamedDifference:
    """Hold one tensor that differs. ``kind`` is ``gradient``, ``buffer``, ``argument`` or ``parameter``; ``absolute`` and
    ``relative`` are its largest differences (``inf`` where it is missing on one side or has another shape)."""

    kind: str
    name: str
    message: str
    absolute: float = math.inf
    relative: float = math.inf

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
    """The tensors that differ, in ``a``'s order, and the largest difference of all that have one.

    A tensor that is None or absent on one side only is a difference. ``allowed`` gives ``rtol`` and ``atol`` of a tensor by its name.
    """
    found: list[NamedDifference] = []
    largest = 0.0
    for name in dict.fromkeys((*a, *b)):
        x, y = a.get(name), b.get(name)
        what = _WHAT.get(kind, "{}").format(name)
        if x is None or y is None:
            if x is not y:
                here, there = runtimes if y is None else runtimes[::-1]
                found.append(NamedDifference(kind, name, f"{what}: present in {here}, missing in {there}."))
            continue
        traces = [_trace(runtime, name, tensor) for runtime, tensor in zip(runtimes, (x, y), strict=True)]
        rtol, atol = allowed(name)
        result = diff(traces[0], traces[1], rtol=rtol, atol=atol)
        largest = max(largest, result.largest_difference)
        for one in result.numeric:
            if one.kind == "arguments" and not one.device_only:
                words = f"{_form(x)} in {runtimes[0]}, {_form(y)} in {runtimes[1]}"
                found.append(NamedDifference(kind, name, f"{what}: {words}."))
            elif one.kind == "values":
                words = f"differs by up to {one.absolute:.3g} (relative {one.relative:.3g}) in {one.elements} of {x.numel()} numbers"
                found.append(NamedDifference(kind, name, f"{what} {words}.", one.absolute, one.relative))
    return found, largest


def momentum_words(
    name: str, momentum: float | None, before: torch.Tensor, a: torch.Tensor, b: torch.Tensor, runtimes: tuple[str, str]
) -> str:
    """How a running statistic that differs moved: as with another momentum, or on one side only. Else empty.

    A batch norm's running statistic moves by ``momentum`` times what the batch is away from it, so the two sides'
    moves have the ratio of their momenta, the same for every channel. A second update by the same batch looks like that too.
    """
    moved_a, moved_b = (a - before).double().flatten(), (b - before).double().flatten()
    module = name.rpartition(".")[0] or "the root"
    size_a, size_b = float(moved_a.abs().max()), float(moved_b.abs().max())
    if not (size_a and size_b):
        still, other = (runtimes[0], runtimes[1]) if not size_a else (runtimes[1], runtimes[0])
        return (
            f" It was updated in {other} and not in {still}: was {module} in train mode there?"
            if size_a or size_b
            else ""
        )
    ratio = float(moved_a @ moved_b / (moved_a @ moved_a))
    if abs(ratio - 1) < _FIT or float((moved_b - ratio * moved_a).abs().max()) > _FIT * size_b:
        return ""
    words = f" It moved {ratio:.4g} times as far in {runtimes[1]} as in {runtimes[0]} on the same batch"
    if momentum is None:
        return f"{words}, as with another momentum."
    return f"{words}, as with a momentum of {momentum * ratio:.4g} for {module} in place of {momentum:g}."


def _trace(runtime: str, name: str, tensor: torch.Tensor) -> Trace:
    return Trace(runtime, [Event(0, name, "Tensor", "forward", 0, -1, values=(trace_value(tensor, "full"),))])


def _form(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype)[6:]}{list(tensor.shape)}"
