"""How .NET learns of writes in Python without a call for each.

- *Is anybody listening?* .NET reads the entry counts of the hook dictionaries from memory, so every write counts at once. It looks up
  which the global ones are whenever Python hands control to C#, since PyTorch's own tests rebind them.
- *Is it still the same dictionary, parameter, child?* Whatever may rebind one advances the epoch, a word that .NET compares before
  each use; a link of another epoch asks anew.
"""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import torch.nn.modules.module as module_globals

from bridge.clr import Host

#: The module's own dictionaries, and their global counterparts in the same order (C-5).
OWN = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
GLOBAL = ("_global_forward_pre_hooks", "_global_forward_hooks", "_global_backward_pre_hooks", "_global_backward_hooks")

# Before .NET runs, nothing needs the epoch.
_epoch = ctypes.c_int64()
_numbers = itertools.count(1)


def advance() -> None:
    """Something may have been rebound. Every number is used once, so no write is lost between threads."""
    _epoch.value = next(_numbers)


def epoch() -> int:
    """The current epoch."""
    return _epoch.value


def begin(host: Host) -> None:
    """.NET runs: shares the epoch, and where the global dictionaries are found (G-3)."""
    global _epoch
    _epoch = ctypes.c_int64.from_address(host.exports.watch(vars(module_globals), *GLOBAL))
    advance()


class Tracked(dict):  # type: ignore[type-arg]  # any keys and values
    """A module's parameters, buffers or children: a dict that advances the epoch at every write."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        advance()

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        advance()

    def __ior__(self, other: Any) -> Tracked:  # type: ignore[misc]  # dict's overloads are narrower
        self.update(other)
        return self

    def pop(self, *args: Any) -> Any:
        value = super().pop(*args)
        advance()
        return value

    def popitem(self) -> tuple[Any, Any]:
        item = super().popitem()
        advance()
        return item

    def setdefault(self, key: Any, default: Any = None) -> Any:
        value = super().setdefault(key, default)
        advance()
        return value

    def update(self, *args: Any, **kwargs: Any) -> None:
        super().update(*args, **kwargs)
        advance()

    def clear(self) -> None:
        super().clear()
        advance()
