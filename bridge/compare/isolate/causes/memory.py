"""What a module does to memory otherwise than its counterpart, whether values show it or not: writes in place, views, strides."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from bridge.compare.isolate.copies import tensors
from bridge.compare.isolate.operators import Recorded
from bridge.compare.isolate.record import Call
from bridge.compare.isolate.replay import Outcome


def writes(call: Call, outcome: Outcome, names: tuple[str, str]) -> str:
    """Which side changes in place what the module is given, the other one not; empty where both do or none does."""
    sides = (names, names[::-1])
    for one, other, (here, there) in zip(
        (call.written, outcome.written), (outcome.written, call.written), sides, strict=True
    ):
        if set(one) - set(other):
            return f"changes its argument in place in {here}, not in {there}"
    return ""


def notices(call: Call, outcome: Outcome, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """Further kinds and words: a result that shares the memory of an argument, or that is contiguous, on one side only."""
    ours, theirs = tensors(call.result), tensors(outcome.result)
    shared = {place for place, _ in call.aliases}, {place for place, _ in outcome.aliases}
    for mine, others, (here, there) in zip(shared, shared[::-1], (names, names[::-1]), strict=True):
        if mine - others:
            yield "alias", f"its result shares the memory of its argument in {here}, not in {there}"
    if len(ours) == len(theirs):
        for one, other in zip(ours, theirs, strict=True):
            if _is_plain(one) and _is_plain(other) and one.is_contiguous() != other.is_contiguous():
                here, there = names if one.is_contiguous() else names[::-1]
                yield "strides", f"its result is contiguous in {here}, not in {there}, where view would raise"
                break


def writer(call: Call, outcome: Outcome, left: Recorded, right: Recorded) -> tuple[str, str]:
    """The operator that changes in place what the module is given, on the side that alone does, and its place if that is in C#."""
    for mine, others, recorded in ((call.written, outcome.written, left), (outcome.written, call.written, right)):
        if more := set(mine) - set(others):
            by = next((one for one in recorded.operators if more & set(one.wrote)), None)
            if by is None:
                return "", ""
            if recorded is right:
                return by.aten, by.source
            return f"{by.aten} ({by.source})" if by.source else by.aten, ""
    return "", ""


def _is_plain(tensor: torch.Tensor) -> bool:
    return tensor.layout is torch.strided and tensor.numel() > 1
