"""Forks of a process in which .NET runs: the child has one of .NET's dozen threads; what enters .NET there waits for the others or crashes.

Our exports are made to raise. Python enters pythonnet's types by itself: a collection traverses its modules, an import that fails asks it
for namespaces, and ``issubclass(anything, collections.abc.Sequence)`` asks each of its classes, since .NET's lists are sequences. So in a
child these types do what a plain class of Python's does, namespaces are not looked for, and calls of .NET raise.
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

# Whether a fork has looked for shared code.
_checked = False

#: The first word of a type after its header, and the words that tell whether PyTypeObject is laid out as it has been since Python 3.8.
_FIRST = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
_KNOWN: dict[int, Callable[[type], int]] = {
    1: lambda kind: kind.__basicsize__,
    18: lambda kind: kind.__flags__,
    29: lambda kind: id(kind.__base__),
    33: lambda kind: kind.__dictoffset__,
}
#: The words that have no name in Python's code: tp_dealloc, tp_traverse, tp_clear, tp_alloc, tp_free.
_NAMELESS = (3, 20, 21, 35, 37)
#: What Python calls by itself; the other functions of a type are called for .NET's sake.
_UNASKED = frozenset(
    f"__{name}__"
    for name in (
        *("delattr", "getattribute", "setattr", "instancecheck", "subclasscheck", "repr", "str"),
        *("hash", "eq", "ne", "lt", "le", "gt", "ge"),
    )
)
#: What a class that was written in Python, on a class of .NET's, has in its dictionary.
_PYTHONS = (FunctionType, classmethod, staticmethod, property, str, type)
_attributes: Callable[[type], MappingProxyType[str, object]] = type.__dict__["__dict__"].__get__


class _Plain:
    """What pythonnet's types become in a child."""


def guard(exports: Exports) -> None:
    """In a forked child every export raises StartError (a RuntimeError), finalizers do nothing, and nothing else enters .NET.

    The first fork warns (RuntimeWarning) if .NET runs with W^X: then a child may crash when it ends.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_warn_of_shared_code, after_in_child=partial(_leave, exports))


def _leave(exports: Exports) -> None:
    exports.disable()
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "clr.loader"]
    if all(_word(_Plain, at).value == known(_Plain) for at, known in _KNOWN.items()):
        for kind in list(_kinds_of_dotnet()):
            _make_plain(kind)


def _kinds_of_dotnet() -> Iterator[type]:
    """pythonnet's types, each metatype before its own."""
    known: dict[type, bool] = {}
    seen, todo = {object}, [object]
    while todo:
        for kind in type.__subclasses__(todo.pop()):
            if kind not in seen:
                seen.add(kind)
                todo.append(kind)
                metatype = type(kind)
                if metatype not in known:
                    known[metatype] = any(_is_dotnets(metatype, at) for at in _NAMELESS)
                    if known[metatype]:
                        yield metatype
                if known[metatype]:
                    yield kind


def _make_plain(kind: type) -> None:
    plain = type if issubclass(kind, type) else _Plain
    for at in _NAMELESS:
        if _is_dotnets(kind, at):
            _word(kind, at).value = _word(plain, at).value
    for name, value in list(_attributes(kind).items()):
        if not isinstance(value, _PYTHONS):
            if name in _UNASKED:
                type.__setattr__(kind, name, getattr(plain, name))
            elif callable(value) and name.startswith("__"):
                type.__setattr__(kind, name, refuse)


def _word(kind: type, at: int) -> ctypes.c_ssize_t:
    return ctypes.c_ssize_t.from_address(id(kind) + _FIRST + at * ctypes.sizeof(ctypes.c_ssize_t))


def _is_dotnets(kind: type, at: int) -> bool:
    """Whether a slot's function is of no library: .NET compiles its code to memory of its own."""
    address = _word(kind, at).value
    return address != 0 and not _library().dladdr(ctypes.c_void_p(address), (ctypes.c_void_p * 4)())


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _warn_of_shared_code() -> None:
    global _checked
    if _checked:
        return
    _checked = True
    try:
        maps = Path("/proc/self/maps").read_text(errors="replace")
    except OSError:
        return  # not Linux
    # The file behind .NET's memory for code, which a child shares with its parent.
    if "doublemapper" in maps:
        warnings.warn(
            "forked children of this process may crash when they end: .NET was started with W^X, and they share its compiled code. "
            "Set DOTNET_EnableWriteXorExecute=0 before .NET starts, let bridge start it, or use the 'spawn' start method.",
            RuntimeWarning,
            stacklevel=2,
        )
