"""Handles and hook registries for ``dispatcher``, as clauses H and O of the contract (docs/contract.md) describe them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

Hook = Callable[..., Any]
Registry = OrderedDict[Any, Hook]


class Handle:
    """A handle of a hook. Ids increase over all registries (H-1). A second ``remove`` does nothing (H-3).

    ``marks`` are further dictionaries from which ``remove`` deletes the id, like PyTorch's ``extra_dict``.
    """

    numbers = count()

    def __init__(self, registry: Registry, hook: Hook, prepend: bool = False, marks: Sequence[Registry] = ()) -> None:
        self.id, self.registry, self.marks = next(self.numbers), registry, marks
        # Hooks run in the order of the dictionary (O-1, O-4). A hook that is registered twice has two entries (G-8).
        registry[self.id] = hook
        if prepend:
            registry.move_to_end(self.id, last=False)  # O-2

    def remove(self) -> None:
        for dictionary in (self.registry, *self.marks):
            dictionary.pop(self.id, None)  # H-4

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()  # H-5
