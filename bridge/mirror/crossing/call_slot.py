"""A .NET function in the ``tp_call`` slot of mirror classes (Python classes of C# modules), so that a call need not run Python code.

The class still has its ``__call__``, and .NET's function calls ``__call__`` if Python must make the call. When ``__call__`` is assigned to
a class, CPython puts its own function back into the slot of that class and of each derived class.
"""

from __future__ import annotations

import ctypes
import os

from bridge.clr.call.exports import Exports
from bridge.clr.start import capi

_installed: set[type] = set()


def install(kind: type, exports: Exports) -> None:
    """Put .NET's function into the slot of a mirror class, which must inherit ``Mirror.__call__``.

    Does nothing if the slot's offset in this Python is unknown, or the slot does not hold CPython's function.
    """
    offset, function = capi.call_slot()
    if offset and (slot := _slot(kind, offset)).value == function:
        slot.value = exports.call_slot
        _installed.add(kind)


def _slot(kind: type, offset: int) -> ctypes.c_int64:
    return ctypes.c_int64.from_address(id(kind) + offset)


def _restore() -> None:
    """Restore CPython's function in the classes' slots in a forked child, which has no .NET.

    A call then reaches ``Mirror.__call__``, which raises StartError.
    """
    offset, function = capi.call_slot()
    for kind in _installed:
        _slot(kind, offset).value = function


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restore)
