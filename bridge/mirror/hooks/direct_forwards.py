"""Functions that are called before and after Python runs a C# module's ``forward``. Recorders use them to detect direct calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType

#: Functions that are called before each ``forward``, with the frame of the caller of ``forward``. Each returns a function to call after
#: ``forward``, or None.
listeners: list[Callable[[FrameType], Callable[[], object] | None]] = []


def begin() -> ExitStack | None:
    """Call the listeners, and return a stack of the functions that they returned; None if they returned no function.

    The caller must close the stack after ``forward``. Closing the stack calls the functions.
    """
    frame = sys._getframe(2)
    stack = None
    for listener in tuple(listeners):
        end = listener(frame)
        if end is not None:
            stack = stack or ExitStack()
            stack.callback(end)
    return stack
