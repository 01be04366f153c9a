"""What is run with each tool: a function of a model, whose result has to be the same for the C# model and its original."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import nn

from pytorch_tools import families
from pytorch_tools.cases import CASES, Case

#: Returns what a tool says: tensors, arrays, numbers and text, in lists, tuples and dictionaries.
Run = Callable[[nn.Module, Case], Any]


@dataclass(frozen=True)
class Check:
    """A row of the table, for the models ``cases``.

    The tool is in the ``distribution``. Results may differ by ``tolerance``, and for a stated ``reason``. With ``refusal`` the tool may
    refuse the C# model, with one sentence. ``ranks`` is the number of processes that run the check together, over gloo.
    """

    name: str
    distribution: str
    what: str
    run: Run
    cases: tuple[str, ...] = tuple(CASES)
    tolerance: float = 0.0
    refusal: bool = False
    ranks: int = 1
    reason: str = ""


class Tool:
    """A module of a tool, imported when it is used: the checks are listed without the tools, and some of these change PyTorch."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


CHECKS: dict[str, Check] = {}


def add(name: str, distribution: str, what: str, run: Run, **options: Any) -> None:
    """Add a check."""
    if name in CHECKS:
        raise ValueError(f"two checks are called {name}")
    CHECKS[name] = Check(name, distribution, what, run, **options)


def check(distribution: str, what: str, **options: Any) -> Callable[[Run], Run]:
    """Add a function as a check of its name."""

    def register(run: Run) -> Run:
        add(run.__name__, distribution, what, run, **options)
        return run

    return register


for _family in pkgutil.iter_modules(families.__path__, f"{families.__name__}."):
    importlib.import_module(_family.name)
