"""Arguments and results as they cross: tensors by reference, numbers, None, and tuples of them."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

import torch

from bridge import tensors
from bridge.clr.exports import BOOL, FLOAT, HANDLE, INT, NONE, TENSOR, TUPLE

#: Values that one result may have; Bridge.Interop's callbacks have the same room.
ROOM = 256
_pack = struct.Struct("<d")
_unpack = struct.Struct("<q")


def write(items: Sequence[Any], own: bool = False) -> ctypes.Array[ctypes.c_int64]:
    """Pairs (kind, content) for ``items``. Tensors are lent, so keep ``items`` alive; with ``own`` each gets a handle to give away.

    Raises TypeError for what cannot cross, naming it.
    """
    words: list[int] = []
    for item in items:
        _write(item, words, own)
    return (ctypes.c_int64 * len(words))(*words)


def _write(item: Any, words: list[int], own: bool) -> None:
    if isinstance(item, torch.Tensor):
        words += (HANDLE, tensors.own(item)) if own else (TENSOR, item._cdata)
    elif item is None:
        words += (NONE, 0)
    elif isinstance(item, bool):
        words += (BOOL, int(item))
    elif isinstance(item, int):
        if not -(2**63) <= item < 2**63:
            raise TypeError(f"the integer {item} does not fit into 64 bits, so .NET cannot take it")
        words += (INT, item)
    elif isinstance(item, float):
        words += (FLOAT, _unpack.unpack(_pack.pack(item))[0])
    elif isinstance(item, (tuple, list)):
        words += (TUPLE, len(item))
        for part in item:
            _write(part, words, own)
    else:
        raise TypeError(
            f"a {type(item).__name__} cannot be handed to .NET; tensors, numbers, None and tuples of them can"
        )


def read(words: Any, count: int, owned: bool) -> list[Any]:
    """``count`` objects from pairs (kind, content); with ``owned`` the handles in them are ours and are used up."""
    items = []
    at = 0
    for _ in range(count):
        item, at = _read(words, at, owned)
        items.append(item)
    return items


def _read(words: Any, at: int, owned: bool) -> tuple[Any, int]:
    kind, bits = words[at], words[at + 1]
    at += 2
    if kind == TENSOR:
        return (tensors.take(bits) if owned else tensors.borrow(bits)), at
    if kind == NONE:
        return None, at
    if kind == INT:
        return bits, at
    if kind == BOOL:
        return bool(bits), at
    if kind == FLOAT:
        return _pack.unpack(_unpack.pack(bits))[0], at
    items = []
    for _ in range(bits):
        item, at = _read(words, at, owned)
        items.append(item)
    return tuple(items), at
