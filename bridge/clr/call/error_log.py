"""libtorch's log of failed operators on standard error."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import torch
from packaging.version import Version

from bridge.clr.start import libraries

#: libtorch's number for fatal errors, the level above errors.
_FATAL: Final = 3


@contextmanager
def suppress_errors() -> Iterator[None]:
    """Keep libtorch from logging errors in the block, on all threads; for code that makes operators fail on purpose.

    Before version 2.13, the C functions by which .NET calls operators log each failure, with its C++ stack, and give .NET no message. From
    version 2.13 on, this function has no effect, nor if TORCH_CPP_LOG_LEVEL is set, or if libc10 does not export its level.
    """
    level = _level()
    if level is None:
        yield
        return
    before = level.value
    level.value = _FATAL
    try:
        yield
    finally:
        level.value = before


def _level() -> ctypes.c_int | None:
    """Return libc10's variable with the lowest level that is logged; None if the log is to be left alone."""
    if Version(torch.__version__) >= Version("2.13.dev0") or "TORCH_CPP_LOG_LEVEL" in os.environ:
        return None
    return libraries.variable("log_level", ctypes.c_int)
