"""Python's access to the .NET objects of models that run on TorchSharp in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.mirror.crossing.objects import DotNetObject, ObjectAccess
from bridge.mirror.loading import dotnet_runtime
from bridge.torchsharp.in_process import hooks

_access: ObjectAccess | None = None


def access(functions: dict[str, Callable[..., Any]]) -> ObjectAccess:
    """Return the access to the objects. ``functions`` are those of ``dotnet/src/Bridge.InProcess``."""
    global _access
    if _access is None:
        exports = dotnet_runtime().exports
        _access = ObjectAccess(
            describe=exports.describe_object,
            get=lambda handle, name: functions["object_get"](handle, name),
            set=lambda handle, name, value: functions["object_set"](handle, name, value),
            call=lambda handle, name, args, kwargs: functions["object_call"](handle, name, args, kwargs),
            items=lambda handle: functions["object_items"](handle),
            text=exports.text_of_object,
            equal=exports.equal_objects,
            hash=exports.hash_of_object,
            # Looked up at each call, since a forked child replaces the function.
            release=lambda handle: exports.release_object(handle),
        )
    return _access


def wrap(functions: dict[str, Callable[..., Any]], handle: int, type_name: str, module: int) -> Any:
    """Return a torch.nn.Module for a module of a loaded model, and a DotNetObject for any other .NET object. Called by .NET."""
    found = hooks.modules.get(module) if module else None
    held = DotNetObject(access(functions), handle, type_name)
    return held if found is None else found


def hold(functions: dict[str, Callable[..., Any]], value: Any) -> DotNetObject:
    """Return a DotNetObject for a value that can be passed to C#, such as a tensor.

    Raises the exceptions of :func:`bridge.mirror.crossing.conversion.raise_unconvertible` for other values.
    """
    return DotNetObject(access(functions), functions["hold"](value), type(value).__name__)


def module_object(functions: dict[str, Callable[..., Any]], module: int, type_name: str) -> DotNetObject:
    """Return the .NET object of a module."""
    return DotNetObject(access(functions), functions["hold_module"](module), type_name)
