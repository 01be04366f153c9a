"""What recordings have to know of forwards that Python runs in .NET by hand, past PyTorch's dispatcher (C-3)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType

#: One function a recording under way: called before each forward with the frame that runs it, it returns what to call afterwards,
#: or None.
around: list[Callable[[FrameType], Callable[[], object] | None]] = []


def begun() -> ExitStack | None:
    """Tells all recordings that the caller's forward begins; returns what to close at its end, if anything."""
    frame = sys._getframe(2)
    stack = None
    for begin in tuple(around):
        end = begin(frame)
        if end is not None:
            stack = stack or ExitStack()
            stack.callback(end)
    return stack
