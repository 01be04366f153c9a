"""Detection of modules that contain themselves: ``eval``, ``to`` and ``state_dict`` of such a model would recurse without end."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def find_cycle(root: N, children: Callable[[N], Iterable[tuple[str, N]]]) -> str | None:
    """Return a message if ``root`` or a module below it contains itself; otherwise None.

    The message lacks its subject, the name of the root: ``contains itself: …``, or ``contains a module that contains itself: …``.
    ``children`` returns the children of a module, each with its name. Modules are dictionary keys, and are compared by ``==``.
    """
    ancestors = {root: ""}
    walks = [(root, "", iter(children(root)))]
    done: set[N] = set()
    while walks:
        module, path, rest = walks[-1]
        for name, child in rest:
            below = f"{path}.{name}" if path else name
            if child in ancestors:
                outer = f"the module at '{ancestors[child]}'" if ancestors[child] else "the root"
                inner = "a module that contains " if ancestors[child] else ""
                return (
                    f"contains {inner}itself: the module at '{below}' is the same object as {outer}; "
                    "PyTorch does not support this (eval, to and state_dict would recurse without end)"
                )
            if child not in done:
                ancestors[child] = below
                walks.append((child, below, iter(children(child))))
                break
        else:
            walks.pop()
            del ancestors[module]
            done.add(module)
    return None
