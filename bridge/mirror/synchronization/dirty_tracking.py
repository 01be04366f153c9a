"""Dirty tracking: how .NET notices writes in Python without a call for each.

- *Hooks.* .NET reads the numbers of entries of the hook dictionaries from memory, so every write takes effect at once. It looks up the
  global dictionaries whenever Python calls C#, since PyTorch's own tests rebind them.
- *Parameters, buffers and children.* Every write that may rebind one advances the epoch, a number that .NET compares before each use;
  a link of another epoch is synchronized again.
- *Other attributes.* Every write of a module's ``__dict__`` changes its version: CPython's own up to Python 3.13, in 3.14 a counter that
  .NET increments when CPython reports a write. Writes of the lists of a recurrent layer advance the epoch.
- *The class, and the ``__dict__`` itself.* .NET reads both addresses from the object.
"""

from __future__ import annotations

import atexit
import ctypes
import itertools
import os
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch.nn.modules.module as module_globals

from bridge.clr import DotNetRuntime
from bridge.clr.start import capi

#: A module's hook dictionaries, and the global ones in the same order (C-5).
HOOK_DICTS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
#: The dictionaries that tell how forward hooks are called.
HOOK_OPTION_DICTS = ("_forward_pre_hooks_with_kwargs", "_forward_hooks_with_kwargs", "_forward_hooks_always_called")
GLOBAL_HOOK_DICTS = (
    "_global_forward_pre_hooks",
    "_global_forward_hooks",
    "_global_backward_pre_hooks",
    "_global_backward_hooks",
)

#: A module's dictionaries whose writes advance the epoch.
MODULE_DICTS = ("_parameters", "_buffers", "_modules")
#: CPython reports writes; otherwise .NET reads the version of each dictionary. Both work in Python 3.12 and 3.13.
REPORTS_WRITES = not capi.version_offset()

# Before .NET runs, nothing needs the epoch.
_epoch = ctypes.c_int64()
_numbers = itertools.count(1)
# One entry for each write in progress, on any thread.
_writes: list[None] = []


def advance() -> None:
    """Advance the epoch: a parameter, buffer or child may have been rebound. Each number is used once, so that no thread misses a write."""
    _epoch.value = next(_numbers)


def epoch() -> int:
    """Return the current epoch; during a write, a new number each time, so that links used meanwhile are synchronized again."""
    value = _epoch.value
    return next(_numbers) if _writes else value


def start(runtime: DotNetRuntime) -> None:
    """Share with .NET the epoch and the namespace of the global hook dictionaries (G-3)."""
    global _epoch
    _epoch = ctypes.c_int64.from_address(runtime.exports.bind_global_hooks(vars(module_globals), *GLOBAL_HOOK_DICTS))
    if REPORTS_WRITES:
        _report_writes(runtime)
    advance()


def _report_writes(runtime: DotNetRuntime) -> None:
    """Have CPython report writes of the dictionaries that .NET registers, until Python ends."""
    add, clear = ctypes.pythonapi.PyDict_AddWatcher, ctypes.pythonapi.PyDict_ClearWatcher
    add.argtypes, add.restype = (ctypes.c_void_p,), ctypes.c_int
    clear.argtypes, clear.restype = (ctypes.c_int,), ctypes.c_int
    number = add(runtime.exports.dictionary_watcher())
    runtime.exports.set({"watcher_number": number})
    remaining = iter([number])  # so that the watcher is cleared once

    def stop() -> None:
        for watcher in remaining:
            clear(watcher)

    atexit.register(stop)
    # A forked child cannot call .NET.
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=stop)


class TrackedDict(dict):  # type: ignore[type-arg]  # any keys and values
    """A module's parameters, buffers or children: a dict that advances the epoch at every write.

    It holds the module's link, so that the module needs no attribute for it. Copies and pickles are plain dicts.
    """

    __slots__ = ("link",)

    def __init__(self, items: Any = (), link: object = None) -> None:
        super().__init__(items)
        self.link = link

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return dict, (dict(self),)


class TrackedList(list):  # type: ignore[type-arg]  # any items
    """A list of a recurrent layer, which advances the epoch at every write. Copies and pickles are plain lists."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return list, (list(self),)


def _with_epoch(write: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method with the epoch advanced before each write.

    Until the write has ended no epoch is returned twice: objects that it frees, and an iterator that it reads, may run code and let other
    threads run, which must see what the dictionary holds by then.
    """

    @wraps(write)
    def write_and_advance(*args: Any, **kwargs: Any) -> Any:
        try:
            _writes.append(None)
            advance()
            return write(*args, **kwargs)
        finally:
            _writes.pop()

    return write_and_advance


_WRITES = {
    TrackedDict: "__setitem__ __delitem__ __ior__ clear pop popitem setdefault update",
    TrackedList: "__setitem__ __delitem__ __iadd__ __imul__ append clear extend insert pop remove reverse sort",
}
for _class, _names in _WRITES.items():
    for _name in _names.split():
        setattr(_class, _name, _with_epoch(getattr(_class, _name)))


def track(module: Any) -> None:
    """Have each later write to the dictionaries of a module, whether it has a link or not, advance the epoch."""
    dictionaries = [module.__dict__[name] for name in MODULE_DICTS]
    if not any(isinstance(dictionary, TrackedDict) for dictionary in dictionaries):
        capi.detach(module)
    for name, dictionary in zip(MODULE_DICTS, dictionaries, strict=True):
        if not isinstance(dictionary, TrackedDict):
            module.__dict__[name] = TrackedDict(dictionary)
