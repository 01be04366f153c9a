"""What is run with each tool: a registry of functions that take a model, and give what the tool says about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import nn

from pytorch_tools.cases import CASES, Case

#: What a tool says about a model: tensors, arrays, numbers and text in lists, tuples and dictionaries.
Run = Callable[[nn.Module, Case], Any]


@dataclass(frozen=True)
class Check:
    """One row of the table for each of its ``cases``.

    ``distribution`` is what the table gives the version of. ``tolerance`` is the largest absolute difference that is still the same: 0
    but for what computes by other kernels. ``refusal``: the .NET model may refuse, in one sentence. ``ranks``: processes that run it
    together, over gloo. ``reason``: why what differs does.
    """

    name: str
    distribution: str
    what: str
    cases: tuple[str, ...]
    run: Run
    tolerance: float = 0.0
    refusal: bool = False
    ranks: int = 1
    reason: str = ""


CHECKS: dict[str, Check] = {}


def check(
    distribution: str,
    what: str,
    *,
    cases: tuple[str, ...] = tuple(CASES),
    tolerance: float = 0.0,
    refusal: bool = False,
    ranks: int = 1,
    reason: str = "",
) -> Callable[[Run], Run]:
    """Register a function as the check of that name."""

    def register(run: Run) -> Run:
        name = run.__name__
        if name in CHECKS:
            raise ValueError(f"two checks are called {name}")
        CHECKS[name] = Check(name, distribution, what, cases, run, tolerance, refusal, ranks, reason)
        return run

    return register
