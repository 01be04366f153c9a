"""Notification of recordings before Python runs the ``forward`` of a C# module, so that they find direct calls of it (C-3)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType

#: Functions that are called before each ``forward``, with the frame that called it. Each returns a function to call afterwards, or None.
listeners: list[Callable[[FrameType], Callable[[], object] | None]] = []


def begin() -> ExitStack | None:
    """Call the listeners, and return the stack to close at the end of ``forward``; None if no listener needs that."""
    frame = sys._getframe(2)
    stack = None
    for listener in tuple(listeners):
        end = listener(frame)
        if end is not None:
            stack = stack or ExitStack()
            stack.callback(end)
    return stack
