"""Snippets of test_tensors.py."""

from __future__ import annotations

import gc
from collections.abc import Callable

import torch

from bridge import tensors


def _resident() -> int:
    """Return the resident memory in bytes."""
    gc.collect()
    with open("/proc/self/statm") as file:  # noqa: PTH123  # no path objects where memory is counted
        return int(file.read().split()[1]) * 4096


def _fresh(times: int) -> None:
    for _ in range(times):
        tensors.take(tensors.own(torch.ones(64)))


def _same(times: int, take: Callable[[int], torch.Tensor], x: torch.Tensor) -> None:
    for _ in range(times):
        take(tensors.own(x))


def growth_by_round_trips() -> None:
    """Print the growth of the process in KB by 100,000 round trips in each direction."""
    x, ways = torch.ones(3), [tensors.take, tensors._steal]
    _fresh(5_000)
    for take in ways:
        _same(5_000, take, x)
    before = _resident()
    _fresh(100_000)
    for take in ways:
        _same(100_000, take, x)
    print((_resident() - before) // 1024)
