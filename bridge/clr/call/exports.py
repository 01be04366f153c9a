"""Bridge.Interop's exported C# functions as built-in functions of Python, and the Python exceptions for C# exceptions."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

from bridge.clr import errors
from bridge.clr.call import boundary
from bridge.clr.errors import DotNetFailure, StartError, without_frames

_Pointer = ctypes.c_void_p


class _Method(ctypes.Structure):
    """CPython's ``PyMethodDef``."""

    _fields_ = (("name", ctypes.c_char_p), ("function", _Pointer), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


_FASTCALL = 0x80  # METH_FASTCALL: the function gets an array of the arguments and their number
#: The Python class for each kind of C# exception that Bridge.Interop's ``ExceptionKind`` distinguishes, except the kinds of errors for
#: which PyTorch has classes of its own (``operator_errors``).
EXCEPTION_CLASSES: Final[dict[str, type[DotNetFailure]]] = {
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
FORK_ADVICE = "Use the 'spawn' or 'forkserver' start method, or load the model in the child only."
#: The exports that finalizers and exit functions call. In a forked child, these exports do nothing, and all others raise StartError.
_FINALIZERS = frozenset(
    {
        "free_handle",
        "detach_mirror",
        "forget",
        "forget_hook",
        "forget_function",
        "forget_exception",
        "release_object",
        "begin_shutdown",
    }
)


def exception_classes() -> dict[str, type[DotNetFailure]]:
    """Return the Python class for each kind of C# exception, including the classes that derive from PyTorch's exceptions."""
    # Imported here, since ``operator_errors`` imports torch, and ``bridge.doctor`` must be able to import this module without torch.
    from bridge.clr.call import operator_errors

    return {**EXCEPTION_CLASSES, **operator_errors.EXCEPTION_CLASSES}


class Exports:
    """An object whose attributes are the exports of ``boundary.json``: C# functions that take and return Python objects.

    If the C# code throws, the function raises a DotNetFailure. A Python exception that passed through C# is raised as the same object. An
    argument of the wrong type raises TypeError.
    """

    def __init__(self, entry: int) -> None:
        """Bind the exports. Raises StartError if Bridge.Interop was built from another ``boundary.json``.

        Args:
            entry: The address of Bridge.Interop's function that writes the addresses of the exports.
        """
        manifest = boundary.manifest()["exports"]
        addresses = (ctypes.c_int64 * (2 + len(manifest)))()
        digest = boundary.digest().encode()
        write = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, _Pointer)(entry)
        if not write(digest, len(digest), addresses):
            raise StartError(
                "The compiled assemblies and this Python package are of different versions: "
                "run `make refresh` in a checkout, or reinstall the package."
            )
        #: ``call_slot`` is the address of .NET's ``tp_call`` function for the Python modules that represent C# modules (``bridge.mirror``).
        bind, self.call_slot, *functions = addresses
        self._exception_classes = exception_classes()
        self._bind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, _Pointer)(bind)
        self._functions: dict[str, Callable[..., Any]] = {
            item["name"]: _function(item, address) for item, address in zip(manifest, functions, strict=True)
        }
        self.__dict__.update(self._functions)
        #: Module paths by module id, for messages; filled by ``bridge.mirror``.
        self.paths: dict[int, str] = {}
        #: The Python objects that .NET uses, by the names of the imports in ``boundary.json``; kept alive here.
        self._imports: dict[str, object] = {}
        self.give({"describe": self._describe, "without_frames": without_frames})

    def give(self, objects: Mapping[str, object]) -> None:
        """Pass Python objects to .NET, and keep them alive. The keys are those of :meth:`set`. Raises KeyError for an unknown name."""
        self._imports.update(objects)
        self.set({name: id(item) for name, item in objects.items()})

    def set(self, values: Mapping[str, int]) -> None:
        """Pass addresses and numbers to .NET. The keys are names of imports in ``boundary.json``. Raises KeyError for an unknown name."""
        names = "\n".join(values).encode()
        unknown = self._bind(names, len(names), (ctypes.c_int64 * len(values))(*values.values()))
        if unknown:
            raise KeyError(f"{boundary.PATH.name} has no import {list(values)[unknown - 1]!r}")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def _describe(
        self, cause: BaseException | None, module: int, module_type: str, kind: str, type: str, message: str, stack: str
    ) -> DotNetFailure:
        """Return the Python exception for a C# exception. Called by .NET.

        Args:
            cause: The Python exception that caused the C# exception; None if there is none.
            module: The id of the C# module that was running; 0 if no module was running, -1 for a module of TorchSharp in this process.
            module_type: The module's name in the message if ``paths`` lacks its id: its type, or for a module of TorchSharp its path.
            kind: A key of :func:`exception_classes`.
            type: The full name of the C# exception's type.
            message: The C# exception's message.
            stack: The C# stack trace.
        """
        path = self.paths.get(module, module_type) if module else None
        error = self._exception_classes[kind](type, message, stack, path)
        if cause is not None:
            error.__cause__ = cause
        weakref.finalize(error, self._forget_exception, id(error)).atexit = False
        return error

    def _forget_exception(self, address: int) -> None:
        # The function is looked up at each call, since ``disable`` replaces it in a forked child.
        self.forget_exception(address)

    def disable(self) -> None:
        """Make the functions unusable in a forked child: those in ``_FINALIZERS`` do nothing, all others raise StartError."""
        for name in self._functions:
            self.__dict__[name] = (lambda *_: 0) if name in _FINALIZERS else refuse


def refuse(*_: object, **__: object) -> NoReturn:
    """Raise StartError. In a forked child, this function takes the place of functions that enter .NET."""
    raise StartError(f".NET was started before this process was forked and cannot be used in the child. {FORK_ADVICE}")


def _function(entry: dict[str, Any], address: int) -> Callable[..., Any]:
    """Return the Python function for an export. If the export returns a record, the function returns the record's fields by name."""
    function = builtin(entry["name"], address)
    kind, _, record = entry.get("gives", "").partition(" ")
    return function if kind != "record" else lambda *arguments: boundary.read(record, function(*arguments))


def builtin(name: str, address: int) -> Callable[..., Any]:
    """Return a built-in function for the C function at ``address``; a call through ctypes would be much slower."""
    method = _Method(name.encode(), address, _FASTCALL, None)
    # Never freed: the built-in function refers to the PyMethodDef by address, and reads it even when Python ends.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.argtypes, new.restype = (ctypes.POINTER(_Method), _Pointer, _Pointer), ctypes.py_object
    return new(ctypes.byref(method), None, None)  # type: ignore[no-any-return]  # ctypes gives Any
