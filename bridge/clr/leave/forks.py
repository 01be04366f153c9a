"""Forks of a process in which .NET runs.

A child has only the thread that forked, so a call of .NET would wait for .NET's other threads forever, or crash. In a child, the exports of
Bridge.Interop raise or do nothing. But Python itself calls pythonnet's types: a garbage collection traverses pythonnet's modules, a failing
import searches .NET's namespaces, and ``issubclass(anything, collections.abc.Sequence)`` calls .NET's list classes. Therefore, in a child,
the functions of pythonnet's types that Python itself calls become those of a plain Python class, the types' other special methods raise,
and pythonnet's import hook is removed.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import FunctionType, MappingProxyType

from bridge.clr.call.exports import Exports, refuse

# Whether the check at the first fork has run.
_has_checked_w_xor_x = False

# The offset of tp_name, the first field of PyTypeObject after the object's header. Slots are numbered from there.
_FIRST = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
#: The known values of some slots, by index. If a slot has another value, the layout of PyTypeObject is unknown, and pythonnet's types are
#: not changed.
_KNOWN: dict[int, Callable[[type], int]] = {
    1: lambda kind: kind.__basicsize__,
    18: lambda kind: kind.__flags__,
    29: lambda kind: id(kind.__base__),
    33: lambda kind: kind.__dictoffset__,
}
#: The indices of slots that no special method sets: tp_dealloc, tp_traverse, tp_clear, tp_alloc, tp_free.
_NAMELESS = (3, 20, 21, 35, 37)
#: The special methods that Python calls on any object. Other special methods are called only by code that uses .NET.
_IMPLICIT = frozenset(
    f"__{name}__"
    for name in (
        *("delattr", "getattribute", "setattr", "instancecheck", "subclasscheck", "repr", "str"),
        *("hash", "eq", "ne", "lt", "le", "gt", "ge"),
    )
)
#: Attributes of these types are left as they are: they come from the body of a Python class that derives from a .NET class.
_PYTHON_ATTRIBUTES = (FunctionType, classmethod, staticmethod, property, str, type)
_attributes: Callable[[type], MappingProxyType[str, object]] = type.__dict__["__dict__"].__get__


class _Plain:
    """A plain class. In a child, pythonnet's types, except metatypes, get the slots and special methods of this class."""


def disable_children(exports: Exports) -> None:
    """Make forked children unable to enter .NET: exports for finalizers do nothing, and all other exports raise StartError.

    The first fork warns (RuntimeWarning) if .NET runs with W^X, since a child may then crash when it ends.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_warn_about_shared_code, after_in_child=partial(_disable, exports))


def _disable(exports: Exports) -> None:
    exports.disable()
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "clr.loader"]
    if all(_slot(_Plain, index).value == known(_Plain) for index, known in _KNOWN.items()):
        for kind in list(_dotnet_types()):
            _make_plain(kind)


def _dotnet_types() -> Iterator[type]:
    """Yield pythonnet's types, each metatype before its instances."""
    known: dict[type, bool] = {}
    seen, stack = {object}, [object]
    while stack:
        for kind in type.__subclasses__(stack.pop()):
            if kind not in seen:
                seen.add(kind)
                stack.append(kind)
                metatype = type(kind)
                if metatype not in known:
                    known[metatype] = any(_is_managed(metatype, index) for index in _NAMELESS)
                    if known[metatype]:
                        yield metatype
                if known[metatype]:
                    yield kind


def _make_plain(kind: type) -> None:
    plain = type if issubclass(kind, type) else _Plain
    for index in _NAMELESS:
        if _is_managed(kind, index):
            _slot(kind, index).value = _slot(plain, index).value
    for name, value in list(_attributes(kind).items()):
        if not isinstance(value, _PYTHON_ATTRIBUTES):
            if name in _IMPLICIT:
                type.__setattr__(kind, name, getattr(plain, name))
            elif callable(value) and name.startswith("__"):
                type.__setattr__(kind, name, refuse)


def _slot(kind: type, index: int) -> ctypes.c_ssize_t:
    return ctypes.c_ssize_t.from_address(id(kind) + _FIRST + index * ctypes.sizeof(ctypes.c_ssize_t))


def _is_managed(kind: type, index: int) -> bool:
    """Return whether a slot's function is compiled by .NET, that is, whether its code is in no shared library."""
    address = _slot(kind, index).value
    return address != 0 and not _library().dladdr(ctypes.c_void_p(address), (ctypes.c_void_p * 4)())


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _warn_about_shared_code() -> None:
    global _has_checked_w_xor_x
    if _has_checked_w_xor_x:
        return
    _has_checked_w_xor_x = True
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return  # not Linux
    # If .NET runs with W^X (no page is both writable and executable), it maps a memory file of this name.
    if "doublemapper" in maps:
        warnings.warn(
            "forked children of this process may crash when they end: .NET was started with W^X, and children share its compiled code. "
            "Set DOTNET_EnableWriteXorExecute=0 before .NET starts, let bridge start .NET, or use the 'spawn' start method.",
            RuntimeWarning,
            stacklevel=2,
        )
