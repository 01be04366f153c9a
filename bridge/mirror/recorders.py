"""What recordings have to know of forwards that Python runs in .NET by hand, past PyTorch's dispatcher (C-3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

#: One function a recording under way: called before each forward, it gives what is to be called behind it, or None.
around: list[Callable[[], Callable[[], object] | None]] = []


@contextmanager
def told() -> Iterator[None]:
    """Tells all recordings that a forward runs inside of the block."""
    with ExitStack() as stack:
        for begin in tuple(around):
            end = begin()
            if end is not None:
                stack.callback(end)
        yield
