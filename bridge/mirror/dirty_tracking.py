"""How .NET learns of writes in Python without a call for each.

- *Is anybody listening?* .NET reads the entry counts of the hook dictionaries from memory, so every write counts at once. It looks up
  which the global ones are whenever Python hands control to C#, since PyTorch's own tests rebind them.
- *Is it still the same parameter, child?* Whatever may rebind one advances the epoch, a word that .NET compares before each use; a
  link of another epoch asks anew.
- *Is any other attribute still the same?* The version of the module's ``__dict__`` says so, a word for each module that every write
  changes, whoever writes: up to Python 3.13 CPython's own, in 3.14 one that .NET counts up when CPython reports a write. The lists
  of a recurrent layer advance the epoch.
- *Is it still that class, that ``__dict__``?* .NET reads both addresses from the object.
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

#: The module's own dictionaries, and their global counterparts in the same order (C-5).
OWN = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
#: How the forward hooks among them are called.
HOW = ("_forward_pre_hooks_with_kwargs", "_forward_hooks_with_kwargs", "_forward_hooks_always_called")
GLOBAL = ("_global_forward_pre_hooks", "_global_forward_hooks", "_global_backward_pre_hooks", "_global_backward_hooks")

#: The dictionaries of a module whose writes advance the epoch.
TRACKED = ("_parameters", "_buffers", "_modules")
#: CPython reports writes; otherwise the word that its dictionaries have is read. Either works in 3.12 and 3.13.
reported = not capi.version_offset()

# Before .NET runs, nothing needs the epoch.
_epoch = ctypes.c_int64()
_numbers = itertools.count(1)
# One entry for each write that is under way, on any thread.
_writes: list[None] = []


def advance() -> None:
    """Something may have been rebound. Every number is used once, so no write is lost between threads."""
    _epoch.value = next(_numbers)


def epoch() -> int:
    """The current epoch; while something is written, a number that no other epoch has, so that whoever looks meanwhile looks again."""
    value = _epoch.value
    return next(_numbers) if _writes else value


def begin(host: DotNetRuntime) -> None:
    """.NET runs: shares the epoch, and where the global dictionaries are found (G-3)."""
    global _epoch
    _epoch = ctypes.c_int64.from_address(host.exports.watch(vars(module_globals), *GLOBAL))
    if reported:
        _report(host)
    advance()


def _report(host: DotNetRuntime) -> None:
    """From now on CPython reports writes of the dictionaries that .NET watches, until Python ends."""
    add, clear = ctypes.pythonapi.PyDict_AddWatcher, ctypes.pythonapi.PyDict_ClearWatcher
    add.argtypes, add.restype = (ctypes.c_void_p,), ctypes.c_int
    clear.argtypes, clear.restype = (ctypes.c_int,), ctypes.c_int
    number = add(host.exports.dictionary_watcher())
    host.exports.set({"watcher_number": number})
    left = iter([number])

    def stop() -> None:
        for watcher in left:
            clear(watcher)

    atexit.register(stop)
    # A child has no .NET that could be called; what it writes concerns nobody.
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=stop)


class Tracked(dict):  # type: ignore[type-arg]  # any keys and values
    """A module's parameters, buffers or children: a dict that advances the epoch at every write.

    It has the module's link, which so does not show among the module's attributes. A copy, pickled or not, is a plain dict.
    """

    __slots__ = ("link",)

    def __init__(self, items: Any = (), link: object = None) -> None:
        super().__init__(items)
        self.link = link

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return dict, (dict(self),)


class TrackedList(list):  # type: ignore[type-arg]  # any items
    """A list of a recurrent layer's, which advances the epoch at every write. A copy, pickled or not, is a plain list."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return list, (list(self),)


def _advancing(write: Callable[..., Any]) -> Callable[..., Any]:
    """The same write, which advances the epoch.

    It does so first, and until the write has ended no epoch is the same twice: what the write replaces is freed within it, and that, like
    an iterator that it reads, may run code and let other threads run, which must see what is there by then.
    """

    @wraps(write)
    def written(*args: Any, **kwargs: Any) -> Any:
        try:
            _writes.append(None)
            advance()
            return write(*args, **kwargs)
        finally:
            _writes.pop()

    return written


_WRITES = {
    Tracked: "__setitem__ __delitem__ __ior__ clear pop popitem setdefault update",
    TrackedList: "__setitem__ __delitem__ __iadd__ __imul__ append clear extend insert pop remove reverse sort",
}
for _class, _names in _WRITES.items():
    for _name in _names.split():
        setattr(_class, _name, _advancing(getattr(_class, _name)))


def watch(module: Any) -> None:
    """Let each write to the dictionaries of a module that has no link advance the epoch, from now on."""
    held = [module.__dict__[name] for name in TRACKED]
    if not any(isinstance(dictionary, Tracked) for dictionary in held):
        capi.detach(module)
    for name, dictionary in zip(TRACKED, held, strict=True):
        if not isinstance(dictionary, Tracked):
            module.__dict__[name] = Tracked(dictionary)
