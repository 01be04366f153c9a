"""The C function by which CPython calls a mirror: .NET's, so that a call which C# makes runs no Python of ours at all.

CPython has it in the class (``tp_call``), beside ``__call__``, which stays what Python code finds there; .NET's function goes on to it
with whatever Python has to see. CPython puts its own function back where ``__call__`` is written, and a class that derives from a mirror's
has that from the start.
"""

from __future__ import annotations

import ctypes
import os

from bridge.clr.call.exports import Exports
from bridge.clr.start import capi

_taken: set[type] = set()


def take(kind: type, exports: Exports) -> None:
    """Has CPython call .NET's function for the instances of a mirror's class, whose ``__call__`` is the mirror's.

    Does nothing where this Python hides what is needed.
    """
    offset, function = capi.call_slot()
    if offset and (place := _place(kind, offset)).value == function:
        place.value = exports.call_slot
        _taken.add(kind)


def _place(kind: type, offset: int) -> ctypes.c_int64:
    return ctypes.c_int64.from_address(id(kind) + offset)


def _give_back() -> None:
    """In a forked child nothing may enter .NET: ``__call__`` says so."""
    offset, function = capi.call_slot()
    for kind in _taken:
        _place(kind, offset).value = function


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_give_back)
