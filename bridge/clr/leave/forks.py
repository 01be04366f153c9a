"""Forks of a process in which .NET runs: a child has only one of .NET's threads; a call of .NET waits for the others or crashes.

In a child, our exports raise. Python itself calls pythonnet's types: a garbage collection traverses its modules, an import that fails looks
for its namespaces, and ``issubclass(anything, collections.abc.Sequence)`` calls each of its classes, since .NET's lists are sequences. So
in a child these types behave as plain classes of Python's, the import of namespaces is removed, and calls of .NET raise.
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

# A fork has checked for shared code already.
_checked = False

#: The offset of a type's first slot, and slots by which the layout of PyTypeObject (since Python 3.8) is recognized.
_FIRST = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
_KNOWN: dict[int, Callable[[type], int]] = {
    1: lambda kind: kind.__basicsize__,
    18: lambda kind: kind.__flags__,
    29: lambda kind: id(kind.__base__),
    33: lambda kind: kind.__dictoffset__,
}
#: The slots without a special method: tp_dealloc, tp_traverse, tp_clear, tp_alloc, tp_free.
_NAMELESS = (3, 20, 21, 35, 37)
#: The special methods that Python calls on any object; the others are called by code that uses .NET.
_IMPLICIT = frozenset(
    f"__{name}__"
    for name in (
        *("delattr", "getattribute", "setattr", "instancecheck", "subclasscheck", "repr", "str"),
        *("hash", "eq", "ne", "lt", "le", "gt", "ge"),
    )
)
#: The types of attributes that a class statement of Python adds to a class derived from .NET's.
_PYTHON_ATTRIBUTES = (FunctionType, classmethod, staticmethod, property, str, type)
_attributes: Callable[[type], MappingProxyType[str, object]] = type.__dict__["__dict__"].__get__


class _Plain:
    """The class whose behavior pythonnet's types get in a child."""


def disable_children(exports: Exports) -> None:
    """Have every export raise StartError (a RuntimeError) in forked children, finalizers do nothing, and nothing else enter .NET.

    The first fork warns (RuntimeWarning) if .NET runs with W^X: then a child may crash when it ends.
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
    """Return whether a slot's function is in no library: .NET compiles its code to memory of its own."""
    address = _slot(kind, index).value
    return address != 0 and not _library().dladdr(ctypes.c_void_p(address), (ctypes.c_void_p * 4)())


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _warn_about_shared_code() -> None:
    global _checked
    if _checked:
        return
    _checked = True
    try:
        maps = Path("/proc/self/maps").read_text(errors="replace")
    except OSError:
        return  # not Linux
    # The name of the file that .NET maps for compiled code under W^X.
    if "doublemapper" in maps:
        warnings.warn(
            "forked children of this process may crash when they end: .NET was started with W^X, and they share its compiled code. "
            "Set DOTNET_EnableWriteXorExecute=0 before .NET starts, let bridge start it, or use the 'spawn' start method.",
            RuntimeWarning,
            stacklevel=2,
        )
