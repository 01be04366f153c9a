"""Dirty tracking: how .NET detects writes in Python. Codes such as C-5 are clauses of the contract (docs/contract.md).

- *Hooks.* .NET reads from memory how many entries each hook dictionary has, so a hook that is added or removed takes effect at once.
  When Python calls C#, .NET looks up the global hook dictionaries again if a global variable of ``torch.nn.modules.module`` was written.
- *Parameters, buffers and children.* Every write to their dictionaries advances the epoch, a global number. Before each use of a module,
  .NET compares the epoch with the epoch of the module's last synchronization, and synchronizes again if the two differ.
- *Other attributes.* Every write to a module's ``__dict__`` changes the dictionary's version number. Up to Python 3.13, CPython itself
  keeps this number; from 3.14 on, .NET counts the writes that a dictionary watcher reports. Writes to a recurrent layer's lists of weights
  advance the epoch.
- *The class and the ``__dict__`` object.* .NET compares their addresses with those at the module's last synchronization.
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

#: The dictionaries of a module's hooks for calls and backward passes (C-5).
HOOK_DICTS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
#: A module's dictionaries with the options of its forward pre hooks and forward hooks.
HOOK_OPTION_DICTS = ("_forward_pre_hooks_with_kwargs", "_forward_hooks_with_kwargs", "_forward_hooks_always_called")
#: The global hook dictionaries, in the order of ``HOOK_DICTS``.
GLOBAL_HOOK_DICTS = (
    "_global_forward_pre_hooks",
    "_global_forward_hooks",
    "_global_backward_pre_hooks",
    "_global_backward_hooks",
)

#: The dictionaries of a module in which every write advances the epoch.
MODULE_DICTS = ("_parameters", "_buffers", "_modules")
#: Whether a dictionary watcher reports writes to .NET; otherwise .NET reads the version of each dictionary.
REPORTS_WRITES = not capi.version_offset()

# ``start`` makes this a number in .NET's memory.
_epoch = ctypes.c_int64()
_numbers = itertools.count(1)
# One entry for each write in progress, on any thread.
_writes: list[None] = []


def advance() -> None:
    """Advance the epoch to a number that was never used, so that .NET synchronizes each module again before its next use."""
    _epoch.value = next(_numbers)


def epoch() -> int:
    """Return the current epoch; while a write is in progress, a new number, so that modules used meanwhile are synchronized again."""
    value = _epoch.value
    return next(_numbers) if _writes else value


def start(runtime: DotNetRuntime) -> None:
    """Share the epoch and the global hook dictionaries with .NET (G-3)."""
    global _epoch
    _epoch = ctypes.c_int64.from_address(runtime.exports.bind_global_hooks(vars(module_globals), *GLOBAL_HOOK_DICTS))
    if REPORTS_WRITES:
        _report_writes(runtime)
    advance()


def _report_writes(runtime: DotNetRuntime) -> None:
    """Add a dictionary watcher, by which CPython reports writes to .NET, until Python ends."""
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
    """A dict for a module's parameters, buffers or children that advances the epoch at every write. Copies and pickles are plain dicts.

    ``link`` is the module's :class:`Link`, Python's data about the C# module, or None.
    """

    __slots__ = ("link",)

    def __init__(self, items: Any = (), link: object = None) -> None:
        super().__init__(items)
        self.link = link

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return dict, (dict(self),)


class TrackedList(list):  # type: ignore[type-arg]  # any items
    """A list of a recurrent layer's weights or their names. Writes advance the epoch. Copies and pickles are plain lists."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return list, (list(self),)


def _with_epoch(write: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that advances the epoch and then writes.

    During the write, each call of :func:`epoch` returns a new number, since the write may run finalizers, iterators or other threads, and
    these must see the current entries.
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
    """Make each later write to a module's dictionaries of parameters, buffers and children advance the epoch."""
    dictionaries = [module.__dict__[name] for name in MODULE_DICTS]
    if not any(isinstance(dictionary, TrackedDict) for dictionary in dictionaries):
        capi.separate_attributes(module)
    for name, dictionary in zip(MODULE_DICTS, dictionaries, strict=True):
        if not isinstance(dictionary, TrackedDict):
            module.__dict__[name] = TrackedDict(dictionary)
