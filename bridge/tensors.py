"""Conversion between torch.Tensor objects and .NET's tensor handles. A tensor keeps its memory, autograd graph and Python object.

A handle is an ``AtenTensorHandle`` of libtorch's stable C ABI: the address of an ``at::Tensor``. The owner of a handle must free it once.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch

from bridge.clr import start
from bridge.clr.start import libraries


def is_tensor(item: object) -> bool:
    """Return whether an object's type is a tensor class. ``isinstance`` would also accept a mock or a weak proxy of a tensor."""
    return issubclass(type(item), torch.Tensor)


def own(tensor: torch.Tensor) -> int:
    """Return a new handle of a tensor, owned by the caller."""
    return _check_handle(start().exports.new_handle(tensor._cdata))


def _check_handle(handle: int) -> int:
    if not handle:
        raise RuntimeError("libtorch could not make a tensor handle")
    return handle


def free(handle: int) -> None:
    """Free an owned handle."""
    start().exports.free_handle(handle)


def take(handle: int) -> torch.Tensor:
    """Return the tensor of an owned handle, and free the handle. If the tensor has a Python object, that object is returned."""
    return _wrappers()[1](handle)


def borrow(handle: int) -> torch.Tensor:
    """Return the tensor of a handle without freeing the handle."""
    return _wrappers()[0](handle)


@cache
def _wrappers() -> tuple[Callable[[int], torch.Tensor], Callable[[int], torch.Tensor]]:
    """Return the implementations of :func:`borrow` and :func:`take`: the first that pass a test with this torch, else :func:`_steal`."""
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
    exports = start().exports

    def wrap_and_free(handle: int) -> torch.Tensor:
        tensor = wrap(handle)
        exports.free_handle(handle)
        return tensor

    return wrap_and_free


def duplicate(handle: int) -> int:
    """Return another handle of the tensor that ``handle`` refers to. The caller owns the new handle."""
    return _check_handle(start().exports.new_handle(ctypes.c_int64.from_address(handle).value))


def wrapper_addresses() -> dict[str, int]:
    """Return the addresses of ``THPVariable_Wrap`` and ``torch_tensor_to_pyobject`` for .NET; 0 for a function that is not used."""
    chosen, _ = _wrappers()
    functions = {"wrap": (_by_symbol(), _by_symbol()), "wrap_by_abi": (_by_abi(), _abi_function())}
    return {
        name: (ctypes.cast(function, ctypes.c_void_p).value or 0) if wrap is chosen else 0
        for name, (wrap, function) in functions.items()
    }


@cache
def _abi_function() -> Any:
    """Return the C function ``torch_tensor_to_pyobject``; None if this torch lacks it."""
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
    """Return a function that implements :func:`borrow` by ``torch_tensor_to_pyobject``; None if this torch lacks it."""
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
    """Return THPVariable_Wrap, a C++ function that implements :func:`borrow`; None if this torch, as from 2.14 on, does not export it."""
    function: Any = libraries.function("wrap", ctypes.PyDLL)
    if function is None:
        return None
    function.argtypes = (ctypes.c_void_p,)
    function.restype = ctypes.py_object
    return function  # type: ignore[no-any-return]  # a C function is a Callable


def _steal(handle: int) -> torch.Tensor:
    """Return the tensor of an owned handle, and free the handle.

    This is slower than the C functions that :func:`_wrappers` tries first.
    """
    new = ctypes.pythonapi.PyCapsule_New
    new.argtypes, new.restype = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p), ctypes.py_object
    capsule = new(handle, None, None)
    return torch._C._aoti.alloc_tensors_by_stealing_from_void_ptrs([capsule])[0]
