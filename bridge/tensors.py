"""Conversion of a torch.Tensor to a .NET handle and back, without copies: same storage, same autograd graph, same Python object.

A handle is the address of a C++ tensor reference, as libtorch's stable C ABI returns it. The owner of a handle frees it, once.
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
    """Return whether an object is a tensor by its type: ``isinstance`` is also true for a mock or a weak proxy of one."""
    return issubclass(type(item), torch.Tensor)


def own(tensor: torch.Tensor) -> int:
    """Return a new handle that refers to ``tensor``, of any dtype, shape, stride and device. The caller owns it."""
    return _check_handle(start().exports.new_handle(tensor._cdata))


def _check_handle(handle: int) -> int:
    if not handle:
        raise RuntimeError("libtorch could not make a tensor handle")
    return handle


def free(handle: int) -> None:
    """Free an owned handle."""
    start().exports.free_handle(handle)


def take(handle: int) -> torch.Tensor:
    """Return the tensor of an owned handle, the same Python object if it has one, and free the handle."""
    return _functions()[1](handle)


def borrow(handle: int) -> torch.Tensor:
    """Return the tensor of a handle, which its owner keeps."""
    return _functions()[0](handle)


@cache
def _functions() -> tuple[Callable[[int], torch.Tensor], Callable[[int], torch.Tensor]]:
    """Return the functions for borrow and take: the fastest that this torch has, tested on a tensor before they are used."""
    probe = torch.nn.Parameter(torch.empty(3))
    for find in (_by_abi, _by_symbol):
        wrap = find()
        if wrap is None:
            continue
        handle = own(probe)
        is_same = wrap(handle) is probe
        free(handle)
        if is_same:
            return wrap, _with_free(wrap)
    return (lambda handle: _steal(duplicate(handle))), _steal


def _with_free(wrap: Callable[[int], torch.Tensor]) -> Callable[[int], torch.Tensor]:
    """Return a function that calls ``wrap`` and frees the handle."""
    exports = start().exports

    def wrap_and_free(handle: int) -> torch.Tensor:
        tensor = wrap(handle)
        exports.free_handle(handle)
        return tensor

    return wrap_and_free


def duplicate(handle: int) -> int:
    """Return a second handle for the tensor of a handle."""
    return _check_handle(start().exports.new_handle(ctypes.c_int64.from_address(handle).value))


def wrapper_addresses() -> dict[str, int]:
    """Return the addresses of the functions that make a tensor's Python object from a handle; 0 for one that is not used."""
    chosen, _ = _functions()
    functions = {"wrap": (_by_symbol(), _by_symbol()), "wrap_by_abi": (_by_abi(), _abi_function())}
    return {
        name: (ctypes.cast(function, ctypes.c_void_p).value or 0) if wrap is chosen else 0
        for name, (wrap, function) in functions.items()
    }


@cache
def _abi_function() -> Any:
    """Return ``torch_tensor_to_pyobject`` of torch 2.14 and newer, else None."""
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
    """Return a function for borrow by the stable ABI; None if this torch lacks it."""
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
        release(tensor)  # the function returns a new reference, and ctypes adds another
        return tensor

    return wrap


@cache
def _by_symbol() -> Callable[[int], torch.Tensor] | None:
    """Return the C++ function that makes every tensor's Python object; None if this torch hides it."""
    library = Path(torch.__file__).parent / "lib" / "libtorch_python.so"
    try:
        function = ctypes.PyDLL(str(library))[_WRAP]
    except (OSError, AttributeError):
        return None
    function.argtypes = (ctypes.c_void_p,)
    function.restype = ctypes.py_object
    return function


def _steal(handle: int) -> torch.Tensor:
    """Return the tensor of an owned handle by a function of every torch from 2.10 on, about five times slower, and free the handle."""
    new = ctypes.pythonapi.PyCapsule_New
    new.argtypes, new.restype = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p), ctypes.py_object
    capsule = new(handle, None, None)
    return torch._C._aoti.alloc_tensors_by_stealing_from_void_ptrs([capsule])[0]
