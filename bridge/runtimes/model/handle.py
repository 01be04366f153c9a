"""Handles and hook registries of the model of the contract (H, O); see ``dispatcher``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

Hook = Callable[..., Any]
Registry = OrderedDict[Any, Hook]


class Handle:
    """A handle of a hook. Ids increase over all registries (H-1); removing twice does nothing (H-3)."""

    numbers = count()

    def __init__(self, registry: Registry, hook: Hook, prepend: bool = False, marks: Sequence[Registry] = ()) -> None:
        self.id, self.registry, self.marks = next(self.numbers), registry, marks
        registry[self.id] = hook  # O-1: the order of the dictionary is that of the hooks; G-8: twice is two
        if prepend:
            registry.move_to_end(self.id, last=False)  # O-2, O-4

    def remove(self) -> None:
        for held in (self.registry, *self.marks):
            held.pop(self.id, None)  # H-4

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()  # H-5
