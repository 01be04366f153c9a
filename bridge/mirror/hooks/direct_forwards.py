"""Functions to call before Python runs the ``forward`` of a C# module. By them, recorders detect direct calls of ``forward`` (C-3)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType

#: Functions that are called before each ``forward``, with the caller's frame. Each returns a function to call after ``forward``, or None.
listeners: list[Callable[[FrameType], Callable[[], object] | None]] = []


def begin() -> ExitStack | None:
    """Call the listeners, and return a stack of the functions that they return, to close after ``forward``; None if there are none."""
    frame = sys._getframe(2)
    stack = None
    for listener in tuple(listeners):
        end = listener(frame)
        if end is not None:
            stack = stack or ExitStack()
            stack.callback(end)
    return stack
