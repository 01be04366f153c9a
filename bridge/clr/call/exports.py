"""Bridge.Interop's exports as builtins of Python, and how their failures become Python exceptions."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

from bridge.clr import errors
from bridge.clr.call import boundary
from bridge.clr.errors import DotNetFailure, StartError, without_frames

_P = ctypes.c_void_p


class _Method(ctypes.Structure):
    """CPython's ``PyMethodDef``."""

    _fields_ = (("name", ctypes.c_char_p), ("function", _P), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


_FASTCALL = 0x80  # METH_FASTCALL: an array of the arguments and their number
#: What a C# exception becomes, by what Bridge.Interop says of it.
KINDS: Final[dict[str, type[DotNetFailure]]] = {
    "error": errors.DotNetError,
    "recursion": errors.DotNetRecursionError,
    "type": errors.DotNetTypeError,
    "value": errors.DotNetValueError,
    "range": errors.DotNetRangeError,
    "index": errors.DotNetIndexError,
    "key": errors.DotNetKeyError,
    "not implemented": errors.DotNetNotImplementedError,
    "os": errors.DotNetOSError,
    "file not found": errors.DotNetFileNotFoundError,
    "permission": errors.DotNetPermissionError,
    "timeout": errors.DotNetTimeoutError,
    "end of file": errors.DotNetEOFError,
    "arithmetic": errors.DotNetArithmeticError,
    "division by zero": errors.DotNetZeroDivisionError,
    "overflow": errors.DotNetOverflowError,
    "memory": errors.DotNetMemoryError,
    "interrupt": errors.DotNetInterrupt,
}
#: What to do instead of forking a process in which .NET runs.
UNFORKED = "Use the 'spawn' or 'forkserver' start method, or load the model in the child only."
#: What finalizers call: in a forked child they do nothing, where everything else raises.
_FINALIZERS = frozenset(
    {"free", "leave", "forget", "forget_hook", "forget_function", "forget_exception", "begin_shutdown"}
)


def kinds() -> dict[str, type[DotNetFailure]]:
    """What each C# exception becomes, PyTorch's own classes among them."""
    from bridge.clr.call import operator_errors  # needs torch, without which doctor and others still have to run

    return {**KINDS, **operator_errors.KINDS}


class Exports:
    """The exports that ``boundary.json`` lists, one attribute each: they take and give ints, texts and other objects.

    Each raises what its .NET method throws, as a DotNetError, or the very Python exception that passed through C#: .NET leaves it as
    the pending error, as any builtin does. A TypeError says that an argument is of the wrong type.
    """

    def __init__(self, address: Callable[[str], int]) -> None:
        self._kinds = kinds()
        self._bind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, _P)(int(address("bind")))
        self._functions: dict[str, Callable[..., Any]] = {
            entry["name"]: _function(entry, int(address(entry["name"]))) for entry in boundary.manifest()["exports"]
        }
        self.__dict__.update(self._functions)
        #: The C function by which CPython can call a mirror.
        self.call_slot = int(address("call_slot"))
        #: Module paths by module id, for messages; filled by the code that mirrors modules.
        self.paths: dict[int, str] = {}
        #: What .NET refers to, by the names of the manifest's imports: it lives as long as this does.
        self._given: dict[str, object] = {}
        self.give({"describe": self._describe, "without_frames": without_frames})

    def give(self, objects: Mapping[str, object]) -> None:
        """Hands objects to .NET under the names of the manifest's imports; they are kept alive."""
        self._given.update(objects)
        self.set({name: id(item) for name, item in objects.items()})

    def set(self, values: Mapping[str, int]) -> None:
        """Hands addresses and numbers to .NET under the names of the manifest's imports. Raises KeyError for an unknown name."""
        names = "\n".join(values).encode()
        unknown = self._bind(names, len(names), (ctypes.c_int64 * len(values))(*values.values()))
        if unknown:
            raise KeyError(f"{boundary.PATH.name} has no import {list(values)[unknown - 1]!r}")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def _describe(
        self, cause: BaseException | None, module: int, module_type: str, kind: str, type: str, message: str, stack: str
    ) -> DotNetFailure:
        """Makes the Python exception for a C# one; ``module`` is the id of the module that it came from, 0 for none. Called by .NET."""
        path = self.paths.get(module, module_type) if module else None
        error = self._kinds[kind](type, message, stack, path)
        if cause is not None:
            error.__cause__ = cause
        weakref.finalize(error, self._forget_exception, id(error)).atexit = False
        return error

    def _forget_exception(self, address: int) -> None:
        self.forget_exception(address)  # looked up now: in a forked child it does nothing

    def disable(self) -> None:
        """From now on every function raises: this is a forked child, whose copy of .NET has no threads and would crash."""
        for name in self._functions:
            self.__dict__[name] = (lambda *_: 0) if name in _FINALIZERS else refuse


def refuse(*_: object, **__: object) -> NoReturn:
    """What a forked child has in place of what would enter .NET; raises StartError."""
    raise StartError(f".NET was started before this process was forked and cannot be used in the child. {UNFORKED}")


def _function(entry: dict[str, Any], address: int) -> Callable[..., Any]:
    """An export; what gives a record gives its fields by name."""
    function = _builtin(entry["name"], address)
    kind, _, record = entry.get("gives", "").partition(" ")
    return function if kind != "record" else lambda *arguments: boundary.read(record, function(*arguments))


def _builtin(name: str, address: int) -> Callable[..., Any]:
    """A C function that takes and gives Python objects, as Python's own builtins are: several times cheaper to call than by ctypes."""
    method = _Method(name.encode(), address, _FASTCALL, None)
    # A builtin refers to it by its address, and looks into it once more when it dies, which may be after every module's names are gone.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.argtypes, new.restype = (ctypes.POINTER(_Method), _P, _P), ctypes.py_object
    return new(ctypes.byref(method), None, None)  # type: ignore[no-any-return]  # ctypes gives Any
