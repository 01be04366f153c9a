"""The C function by which CPython calls a mirror: .NET's, so that a call which C# can make runs no Python code of ours.

CPython keeps it in the class (``tp_call``), beside ``__call__``, which Python code still finds there; .NET's function calls
``__call__`` where Python must make the call. CPython restores its own function when ``__call__`` is assigned, and gives that to a class
which derives from a mirror's.
"""

from __future__ import annotations

import ctypes
import os

from bridge.clr.call.exports import Exports
from bridge.clr.start import capi

_installed: set[type] = set()


def install(kind: type, exports: Exports) -> None:
    """Have CPython call .NET's function for the instances of a mirror's class whose ``__call__`` is the mirror's.

    Does nothing where the layout of this Python's classes is unknown.
    """
    offset, function = capi.call_slot()
    if offset and (slot := _slot(kind, offset)).value == function:
        slot.value = exports.call_slot
        _installed.add(kind)


def _slot(kind: type, offset: int) -> ctypes.c_int64:
    return ctypes.c_int64.from_address(id(kind) + offset)


def _restore() -> None:
    """Restore CPython's functions: a forked child must not enter .NET, and ``__call__`` raises an error that says so."""
    offset, function = capi.call_slot()
    for kind in _installed:
        _slot(kind, offset).value = function


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restore)
