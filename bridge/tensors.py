"""torch.Tensor to a .NET handle and back. Nothing is copied: same storage, same autograd graph, same Python object.

A handle is the address of a C++ tensor reference, as libtorch's stable C ABI gives it out. The owner of a handle frees it, once.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch

from bridge.clr import start

#: THPVariable_Wrap, as libtorch_python of torch 2.10 to 2.13 exports it on Linux and macOS.
_WRAP = "_Z16THPVariable_WrapRKN2at10TensorBaseE"


def is_tensor(item: object) -> bool:
    """Whether an object is a tensor. ``isinstance`` would trust what an object, such as a mock or a weak proxy, claims to be."""
    return issubclass(type(item), torch.Tensor)


def own(tensor: torch.Tensor) -> int:
    """A new handle that refers to ``tensor``; any dtype, shape, stride and device. The caller owns it."""
    return _checked(start().exports.own(tensor._cdata))


def _checked(handle: int) -> int:
    if not handle:
        raise RuntimeError("libtorch could not make a tensor handle")
    return handle


def free(handle: int) -> None:
    """Frees an owned handle."""
    start().exports.free(handle)


def take(handle: int) -> torch.Tensor:
    """The tensor that an owned handle refers to, its very Python object if it has one; the handle is used up."""
    return _ways()[1](handle)


def borrow(handle: int) -> torch.Tensor:
    """The tensor that a handle refers to; the handle stays its owner's."""
    return _ways()[0](handle)


@cache
def _ways() -> tuple[Callable[[int], torch.Tensor], Callable[[int], torch.Tensor]]:
    """(borrow, take): the fastest way that this torch offers, tested on a tensor before it is used."""
    probe = torch.nn.Parameter(torch.empty(3))
    for find in (_by_abi, _by_symbol):
        wrap = find()
        if wrap is None:
            continue
        handle = own(probe)
        same = wrap(handle) is probe
        free(handle)
        if same:
            return wrap, _taking(wrap)
    return (lambda handle: _steal(own_again(handle))), _steal


def _taking(wrap: Callable[[int], torch.Tensor]) -> Callable[[int], torch.Tensor]:
    exports = start().exports

    def take_by(handle: int) -> torch.Tensor:
        tensor = wrap(handle)
        exports.free(handle)
        return tensor

    return take_by


def own_again(handle: int) -> int:
    """A second handle for what ``handle`` refers to."""
    return _checked(start().exports.own(ctypes.c_int64.from_address(handle).value))


def wrapper_addresses() -> dict[str, int]:
    """Return the addresses of the functions that make a tensor's Python object from a handle; 0 for one that is not the chosen way."""
    chosen = _ways()[0]
    functions = {"wrap": (_by_symbol(), _by_symbol()), "wrap_by_abi": (_by_abi(), _abi_function())}
    return {
        name: (ctypes.cast(function, ctypes.c_void_p).value or 0) if way is chosen else 0
        for name, (way, function) in functions.items()
    }


@cache
def _abi_function() -> Any:
    """``torch_tensor_to_pyobject`` of torch 2.14 and newer, else None."""
    from bridge.clr.start.runtime import libtorch

    library = ctypes.PyDLL(str(libtorch(Path(torch.__file__).parent / "lib")))
    try:
        function = library.torch_tensor_to_pyobject
    except AttributeError:
        return None
    function.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object))
    return function


@cache
def _by_abi() -> Callable[[int], torch.Tensor] | None:
    """The function of the stable ABI."""
    function = _abi_function()
    if function is None:
        return None
    release = ctypes.pythonapi.Py_DecRef
    release.argtypes, release.restype = (ctypes.py_object,), None

    def wrap(handle: int) -> torch.Tensor:
        result = ctypes.py_object()
        if function(handle, None, ctypes.byref(result)):
            raise RuntimeError("torch_tensor_to_pyobject failed")
        tensor: torch.Tensor = result.value
        release(tensor)  # the function gives a new reference, and ctypes another one
        return tensor

    return wrap


@cache
def _by_symbol() -> Callable[[int], torch.Tensor] | None:
    """The C++ function behind every tensor that Python sees."""
    library = Path(torch.__file__).parent / "lib" / "libtorch_python.so"
    try:
        function = ctypes.PyDLL(str(library))[_WRAP]
    except (OSError, AttributeError):
        return None
    function.argtypes = (ctypes.c_void_p,)
    function.restype = ctypes.py_object
    return function


def _steal(handle: int) -> torch.Tensor:
    """The way that works with every torch from 2.10 on; about five times slower."""
    new = ctypes.pythonapi.PyCapsule_New
    new.argtypes, new.restype = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p), ctypes.py_object
    capsule = new(handle, None, None)
    return torch._C._aoti.alloc_tensors_by_stealing_from_void_ptrs([capsule])[0]
