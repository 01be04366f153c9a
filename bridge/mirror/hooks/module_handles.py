"""Integer handles of modules, by which .NET reads PyTorch's own modules in C# hooks.

A *mirror* is the ``torch.nn.Module`` that represents a C# module.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable
from typing import Any, Final

import torch

from bridge.clr import DotNetRuntime
from bridge.clr.call import boundary
from bridge.mirror.link import by_id, link_of

_PARTS: Final = boundary.members("ModulePart")
_numbers = itertools.count(1)
#: Negative handles by the ``id()`` of modules, and modules by handle.
_handles: dict[int, int] = {}
_modules: dict[int, weakref.ref[torch.nn.Module]] = {}


def mirror_id(module: torch.nn.Module) -> int:
    """Return the module id of a mirror; 0 for any other module."""
    link = link_of(module)
    return 0 if link is None else link.id


def handle_of(runtime: DotNetRuntime, module: torch.nn.Module) -> int:
    """Return the handle of a module: the module id of a mirror, or a negative number for any other module.

    The handle is valid as long as the module lives.
    """
    if found := mirror_id(module):
        return found
    key = id(module)
    if key not in _handles:
        handle = -next(_numbers)
        _handles[key], _modules[handle] = handle, weakref.ref(module)
        weakref.finalize(module, _forget, runtime, key, handle).atexit = False
    return _handles[key]


def module_of(handle: int) -> torch.nn.Module:
    """Return the module of a handle. Raises ReferenceError when the module was collected."""
    if handle > 0:
        link = by_id(handle)
        found = link.mirror()
        if found is None:
            raise ReferenceError(
                f"Python has freed module '{link.path}', but .NET uses it: keep a reference to the model in Python"
            )
        return found
    found = _modules[handle]() if handle in _modules else None
    if found is None:
        raise ReferenceError("Python has freed this PyTorch module, but .NET uses it: keep a reference to it in Python")
    return found


def read_part(runtime: DotNetRuntime, handle: int, part: int) -> Any:
    """Return a part of a module; ``part`` is a ModulePart of ``boundary.json``. Called by .NET."""
    found, name = module_of(handle), _PARTS[part]
    if name == "type":
        return type(found).__name__
    if name == "training":
        return found.training
    if name == "parameters":
        return tuple(found.named_parameters())
    if name == "buffers":
        return tuple(found.named_buffers())
    if name == "persistent_buffers":
        skipped = {
            f"{path}.{own}".lstrip(".")
            for path, child in found.named_modules()
            for own in child._non_persistent_buffers_set
        }
        return tuple(item for item in found.named_buffers() if item[0] not in skipped)
    modules: Iterable[tuple[str, torch.nn.Module]] = (
        found.named_children() if name == "children" else [item for item in found.named_modules() if item[0]]
    )
    return tuple((path, handle_of(runtime, child)) for path, child in modules)


def _forget(runtime: DotNetRuntime, key: int, handle: int) -> None:
    _handles.pop(key, None)
    _modules.pop(handle, None)
    runtime.exports.forget(handle)
