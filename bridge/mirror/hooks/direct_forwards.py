"""Direct calls of a mirror's ``forward``, past PyTorch's dispatcher (C-3), of which recordings are notified."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType

#: Functions that are called before each forward with the frame that runs it; each returns a function to call afterwards, or None.
listeners: list[Callable[[FrameType], Callable[[], object] | None]] = []


def begin() -> ExitStack | None:
    """Call the listeners for the caller's forward; return the stack to close at its end, or None."""
    frame = sys._getframe(2)
    stack = None
    for listener in tuple(listeners):
        end = listener(frame)
        if end is not None:
            stack = stack or ExitStack()
            stack.callback(end)
    return stack
