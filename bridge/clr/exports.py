"""Bridge.Interop's exports as ctypes functions, and how their failures become Python exceptions."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

from bridge.clr.errors import (
    DotNetError,
    DotNetFailure,
    DotNetInterrupt,
    DotNetRecursionError,
    DotNetTypeError,
    StartError,
)

_I, _L, _P = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p


class _Method(ctypes.Structure):
    """CPython's ``PyMethodDef``."""

    _fields_ = (("name", ctypes.c_char_p), ("function", _P), ("flags", _I), ("doc", ctypes.c_char_p))


_FASTCALL = 0x80  # METH_FASTCALL: an array of the arguments and their number
# Referenced here as long as the process lives: builtins and .NET keep their addresses.
_methods: list[_Method] = []
_kept: list[Callable[..., DotNetFailure]] = []

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "bind_python": (_P, _P),
    "bind_objects": (_P,),
    "bind_callbacks": (_P, _L, _L),
    "read_schemas": (ctypes.c_char_p, _I),
    "watch": (_L, _P, _P),
    "take": (_L, _I, _P),
    "link": (_L,),
    "adopt_hooks": (_L,),
    "bind": (_L, _L, _P, _P, _I),
    "free": (_L,),
    "forget": (_L,),
    "forget_hook": (_L,),
    "set_training": (_L, _I),
    "stands_no_more": (_L,),
    "record_start": (_P, _I, _I, _P),
    "record_inside": (_L, _P),
    "record_here": (_L, _I, _P),
    "record_drain": (_L, _P),
    "record_value": (_L, _L, _P),
    "record_write": (_L, ctypes.c_char_p, _I, ctypes.c_char_p, _I),
    "record_stop": (_L,),
    "recorders": (_L,),
    "live": (_P,),
    "leave": (),
}
#: What gives bytes.
_BYTES: dict[str, tuple[Any, ...]] = {
    "bind_torch": (ctypes.c_char_p, _I),
    "load": (ctypes.c_char_p, _I, ctypes.c_char_p, _I, ctypes.c_char_p, _I),
    "record_text": (_L, _L),
}
#: What takes and gives Python objects. The leading numbers must be ints of 64 bits.
_BUILTINS = ("forward", "hook", "record_event")
#: What a C# exception becomes, by what Bridge.Interop says of it.
_KINDS: dict[str, type[DotNetFailure]] = {
    "error": DotNetError,
    "recursion": DotNetRecursionError,
    "type": DotNetTypeError,
    "interrupt": DotNetInterrupt,
}
#: What finalizers call: in a forked child they do nothing, where everything else raises.
_FINALIZERS = frozenset({"free", "forget", "forget_hook", "stands_no_more", "leave"})


class Exports:
    """The functions, one attribute each, entered holding the GIL.

    Each raises what its .NET method throws, as a DotNetError, or the very Python exception that passed through C#: .NET leaves it as
    the pending error, which both ctypes and builtins look for when a function returns.
    """

    def __init__(self, address: Callable[[str], int]) -> None:
        self._functions: dict[str, Callable[..., Any]] = {
            name: ctypes.PYFUNCTYPE(ctypes.c_int, *arguments)(int(address(name)))
            for name, arguments in _SIGNATURES.items()
        }
        for name, arguments in _BYTES.items():
            self._functions[name] = ctypes.PYFUNCTYPE(ctypes.py_object, *arguments)(int(address(name)))
        self._functions["own"] = ctypes.PYFUNCTYPE(_L, _L)(int(address("own")))
        for name in _BUILTINS:
            self._functions[name] = _builtin(name, int(address(name)))
        self.__dict__.update(self._functions)
        #: The function that .NET calls to describe a failure.
        self.failure = self._describe
        _kept.append(self.failure)
        #: Module paths by module id, for messages; whoever mirrors modules fills it.
        self.paths: dict[int, str] = {}

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def _describe(
        self, cause: BaseException | None, module: int, module_type: str, kind: str, type: str, message: str, stack: str
    ) -> DotNetFailure:
        """The exception that stands for a C# one; ``module`` is the id of the module that it came from, 0 for none. .NET calls this."""
        path = self.paths.get(module, module_type) if module else None
        error = _KINDS[kind](type, message, stack, path)
        if cause is not None:
            error.__cause__ = cause
        weakref.finalize(error, self._stands_no_more, id(error)).atexit = False
        return error

    def _stands_no_more(self, address: int) -> None:
        self.stands_no_more(address)  # looked up now: in a forked child it does nothing

    def texts(self, value: str) -> tuple[bytes, int]:
        """A text as the two arguments that exports take."""
        data = value.encode()
        return data, len(data)

    def disable(self) -> None:
        """From now on every function raises: this is a forked child, whose copy of .NET has no threads and would crash."""

        def refuse(*_: object) -> NoReturn:
            raise StartError(
                ".NET was started before this process was forked and cannot be used in the child. "
                "Use the 'spawn' or 'forkserver' start method, or load the model in the child only."
            )

        for name in self._functions:
            self.__dict__[name] = (lambda *_: 0) if name in _FINALIZERS else refuse


def _builtin(name: str, address: int) -> Callable[..., Any]:
    """A C function that takes and gives Python objects, as Python's own builtins are: several times cheaper to call than by ctypes."""
    _methods.append(_Method(name.encode(), address, _FASTCALL, None))
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.argtypes, new.restype = (ctypes.POINTER(_Method), _P, _P), ctypes.py_object
    return new(ctypes.byref(_methods[-1]), None, None)  # type: ignore[no-any-return]
