"""The kinds of attack: functions of a case, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """A kind of attack and its share of the cases. Each case of an ``alone`` kind runs in a process of its own, which it may end."""

    name: str
    weight: int
    run: Callable[[Any], None]
    alone: bool = False


_kinds: dict[str, Kind] = {}


def attack(name: str, weight: int, alone: bool = False) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Add the decorated function to the kinds."""

    def add(function: Callable[[Any], None]) -> Callable[[Any], None]:
        _kinds[name] = Kind(name, weight, function, alone)
        return function

    return add


def kind_of(seed: int, index: int, kinds: Sequence[Kind]) -> Kind:
    """Return the kind of a case."""
    return Random(f"{seed}:{index}").choices(kinds, [kind.weight for kind in kinds])[0]


def chosen(names: Sequence[str] = ()) -> list[Kind]:
    """Return the kinds of those names, or all kinds. Raises ValueError for an unknown name.

    ``together:module.function`` and ``alone:module.function`` name functions of any importable module.
    """
    for file in sorted(Path(__file__).with_name("kinds").glob("[a-z]*.py")):
        importlib.import_module(f"attack.kinds.{file.stem}")
    if unknown := sorted(name for name in names if name not in _kinds and ":" not in name):
        raise ValueError(f"no kind {', '.join(unknown)}: there are {', '.join(_kinds)}")
    return [_kinds.get(name) or _import(name) for name in names] or list(_kinds.values())


def _import(name: str) -> Kind:
    how, _, path = name.partition(":")
    module, _, function = path.rpartition(".")
    return Kind(name, 1, getattr(importlib.import_module(module), function), how == "alone")
