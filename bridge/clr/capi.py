"""Addresses and offsets of CPython that .NET needs, probed and never assumed."""

from __future__ import annotations

import ctypes
import sys
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import NoReturn

import torch

from bridge.clr.errors import StartError

#: Order known to Bridge.Interop (Python.Bind).
_FUNCTIONS = (
    "PyGILState_Ensure",
    "PyGILState_Release",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "PyErr_Occurred",
    "PyErr_GetRaisedException",  # 3.12 and newer
    "PyErr_Fetch",
    "PyErr_NormalizeException",
    "Py_IncRef",
    "Py_DecRef",
    "PyErr_GivenExceptionMatches",
    "PyException_SetTraceback",
    "PyGILState_GetThisThreadState",
    "PyLong_FromLongLong",
    "PyLong_AsLongLong",
    "PyObject_Vectorcall",
    "PyType_IsSubtype",
    "PyDict_GetItemWithError",
)
#: Order known to Bridge.Interop (Python.BindErrors).
_ERROR_FUNCTIONS = (
    "PyErr_SetRaisedException",  # 3.12 and newer
    "PyErr_Restore",
    "PyException_GetTraceback",
    "PyErr_SetObject",
    "PyType_GetName",
    "PyUnicode_AsUTF8AndSize",
    "PyUnicode_DecodeUTF16",
    "PyBytes_FromStringAndSize",
)
#: Order known to Bridge.Interop (Objects.Bind).
_OBJECT_FUNCTIONS = (
    "PyType_GetFlags",
    "PyLong_AsLongLongAndOverflow",
    "PyLong_AsUnsignedLongLong",
    "PyFloat_AsDouble",
    "PyUnicode_AsUTF8AndSize",
    "PyErr_Clear",
    "PyTuple_Size",
    "PyTuple_GetItem",
    "PyList_Size",
    "PyList_GetItem",
    "PyList_AsTuple",
    "PyDict_Items",
    "PyMapping_Items",
    "PyFloat_FromDouble",
    "PyLong_FromUnsignedLongLong",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyList_New",
    "PyList_SetItem",
    "PyDict_New",
    "PyDict_SetItem",
)


def table() -> ctypes.Array[ctypes.c_int64]:
    """The functions' addresses, 0 for one that is lacking; three objects; the offsets of what .NET reads from memory.

    Raises StartError when this Python or this torch lays its objects out in an unknown way.
    """
    values = [_address(name) for name in _FUNCTIONS]
    values += [id(Exception), id(torch.Tensor), id(None), impl_offset(), count_offset(), type_offset()]
    return (ctypes.c_int64 * len(values))(*values)


def errors(
    describe: Callable[..., BaseException], without_frames: Callable[[BaseException], BaseException]
) -> ctypes.Array[ctypes.c_int64]:
    """What .NET needs to raise: functions' addresses, then objects, which must live as long as the process.

    ``describe`` makes an exception of what is known of a C# one, ``without_frames`` copies one.
    """
    values = [_address(name) for name in _ERROR_FUNCTIONS]
    values += [id(item) for item in (SystemError, describe, without_frames)]
    return (ctypes.c_int64 * len(values))(*values)


def objects(default: object, refuse: Callable[[object], NoReturn]) -> ctypes.Array[ctypes.c_int64]:
    """What .NET needs to read and make Python's objects: functions' addresses, then objects, which must live as long as the process.

    ``default`` stands for an argument that C# shall take the default of; ``refuse`` raises for an object that cannot cross.
    """
    values = [_address(name) for name in _OBJECT_FUNCTIONS]
    values += [id(item) for item in (None, True, False, float, OrderedDict, default, refuse)]
    return (ctypes.c_int64 * len(values))(*values)


def _address(name: str) -> int:
    if name in ("PyErr_GetRaisedException", "PyErr_SetRaisedException") and sys.version_info < (3, 12):
        return 0
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def type_offset() -> int:
    """Byte offset of the type in an object. Raises StartError if it cannot be found."""
    probes: tuple[object, ...] = (object(), 1, "", [], torch.Tensor)
    for offset in range(0, object.__basicsize__, 8):
        if all(ctypes.c_int64.from_address(id(probe) + offset).value == id(type(probe)) for probe in probes):
            return offset
    raise StartError(
        f"Python {sys.version.split()[0]} lays its objects out in an unknown way; this Python is not supported."
    )


def impl_offset() -> int:
    """Byte offset, in Python's tensor object, of the word that ``_cdata`` reads: the address of its TensorImpl.

    So .NET sees which tensor an object is *now*, also after ``torch.utils.swap_tensors``. Raises StartError if it cannot be found.
    """
    probes = [torch.empty(0), torch.nn.Parameter(torch.empty(2)), torch.empty(1, dtype=torch.int64)]
    for offset in range(object.__basicsize__, torch.Tensor.__basicsize__, 8):
        if all(ctypes.c_int64.from_address(id(probe) + offset).value == probe._cdata for probe in probes):
            return offset
    raise StartError(
        f"torch {torch.__version__} lays its tensor objects out in an unknown way; this torch is not supported."
    )


def count_address(dictionary: dict) -> int:  # type: ignore[type-arg]
    """Address of the word that holds a dictionary's number of entries.

    Every write by anybody changes it, so .NET sees at once whether a module is listened to.
    """
    return id(dictionary) + count_offset()


@cache
def count_offset() -> int:
    """Byte offset of that word. Raises StartError unless it is right for plain and ordered dictionaries of this Python."""
    for kind in (dict, OrderedDict):
        probe: dict[int, int] = kind()
        word = ctypes.c_int64.from_address(id(probe) + object.__basicsize__)
        seen = [word.value]
        for key in range(3):
            probe[key] = key
            seen.append(word.value)
        del probe[1]
        seen.append(word.value)
        probe.clear()
        seen.append(word.value)
        if seen != [0, 1, 2, 3, 2, 0]:
            raise StartError(
                f"Python {sys.version.split()[0]} lays its dictionaries out in an unknown way; this Python is not supported."
            )
    return object.__basicsize__
