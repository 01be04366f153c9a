"""Differences in memory, which equal values do not show: writes in place, aliases and strides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from bridge.compare.isolate.copies import tensors
from bridge.compare.isolate.pairs import CallPair


def find_write(pair: CallPair) -> str:
    """Describe a write in place to an argument that only PyTorch or only C# writes; return an empty string if there is none."""
    for number, _ in _find_writes(pair):
        return f"changes its argument in place in {pair.names[number]}, not in {pair.names[1 - number]}"
    return ""


def find_writing_operator(pair: CallPair) -> tuple[str, str]:
    """Return the name and the C# location of the operator that makes the write of :func:`find_write`; empty strings if unknown.

    For an operator of PyTorch, the first string also has the Python location, if known, and the second is empty.
    """
    recordings = (pair.recordings.left, pair.recordings.right)
    for number, only in _find_writes(pair):
        operators = (operator for operator in recordings[number].operators if only & set(operator.written))
        if (operator := next(operators, None)) is None:
            return "", ""
        source = operator.location.source
        if number == 1:
            return operator.aten, source
        return f"{operator.aten} ({source})" if source else operator.aten, ""
    return "", ""


def _find_writes(pair: CallPair) -> Iterator[tuple[int, set[int]]]:
    """Yield 0 with the indices of the arguments that only PyTorch writes, and 1 with those that only C# writes, if there are any."""
    # Both calls get the same tensor objects, but each call in the order of its own parameters.
    given = ((pair.call.args, pair.call.kwargs), pair.arguments)
    arguments = [[id(tensor) for tensor in tensors(side)] for side in given]
    indices = (pair.call.written, pair.outcome.written)
    written = [{known[index] for index in side} for known, side in zip(arguments, indices, strict=True)]
    for number, other in ((0, 1), (1, 0)):
        if only := written[number] - written[other]:
            yield number, {index for index, key in enumerate(arguments[number]) if key in only}


def find_layout_differences(pair: CallPair, result: Any) -> Iterator[tuple[str, str]]:
    """Yield a finding's kind and text if a tensor of the result shares an argument's storage, or is contiguous, in one model only.

    ``result`` is the part of PyTorch's result that corresponds to C#'s, in C#'s order.
    """
    left, right = tensors(result), tensors(pair.outcome.result)
    recorded = tensors(pair.call.result)
    shared = {id(recorded[index]) for index, _ in pair.call.aliases}
    aliased = [
        {index for index, tensor in enumerate(left) if id(tensor) in shared},
        {index for index, _ in pair.outcome.aliases},
    ]
    for number, other in ((0, 1), (1, 0)):
        if aliased[number] - aliased[other]:
            first, second = pair.names[number], pair.names[other]
            yield "alias", f"its result shares the memory of its argument in {first}, not in {second}"
    if len(left) == len(right):
        for mine, theirs in zip(left, right, strict=True):
            if _has_strides(mine) and _has_strides(theirs) and mine.is_contiguous() != theirs.is_contiguous():
                first, second = pair.names if mine.is_contiguous() else pair.names[::-1]
                yield "strides", f"its result is contiguous in {first}, not in {second}, where view may raise"
                break


def _has_strides(tensor: torch.Tensor) -> bool:
    return tensor.layout is torch.strided and tensor.numel() > 1
