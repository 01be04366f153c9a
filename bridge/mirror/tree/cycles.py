"""Finds a module that contains itself: ``eval``, ``to`` and ``state_dict`` of such a model would not end."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def cycle(root: N, children: Callable[[N], Iterable[tuple[str, N]]]) -> str | None:
    """What is wrong, in a sentence without its subject and full stop; None for a tree, in which a module may occur twice side by side.

    ``children`` gives the names and children of a module; modules are compared as the keys of a dictionary are.
    """
    above = {root: ""}
    walks = [(root, "", iter(children(root)))]
    done: set[N] = set()
    while walks:
        module, path, rest = walks[-1]
        for name, child in rest:
            below = f"{path}.{name}" if path else name
            if child in above:
                outer = f"'{above[child]}'" if above[child] else "the root"
                return (
                    f"contains itself: the module at '{below}' is {outer}, "
                    "which PyTorch does not support (eval, to and state_dict would never return)"
                )
            if child not in done:
                above[child] = below
                walks.append((child, below, iter(children(child))))
                break
        else:
            walks.pop()
            del above[module]
            done.add(module)
    return None
