"""Arguments and results as they cross: tensors by reference, numbers, strings, None, and tuples, lists and dicts of them."""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Sequence
from typing import Any

import torch

from bridge import tensors
from bridge.clr import start
from bridge.clr.exports import BOOL, DEFAULT, DICT, FLOAT, HANDLE, INT, LIST, NONE, TENSOR, TEXT, TUPLE

#: Values that one result may have; Bridge.Interop's callbacks have the same room.
ROOM = 256
#: Stands for an argument that C# shall take the default of.
Default = object()
_pack = struct.Struct("<d")
_unpack = struct.Struct("<q")


def write(items: Sequence[Any], own: bool = False) -> ctypes.Array[ctypes.c_int64]:
    """Pairs (kind, content) for ``items``. Tensors are lent, so keep ``items`` alive; with ``own`` each gets a handle to give away.

    Raises TypeError for what cannot cross, naming it.
    """
    words: list[int] = []
    texts: list[Any] = []
    for item in items:
        _write(item, words, own, texts)
    array = (ctypes.c_int64 * len(words))(*words)
    if texts:
        array._texts = texts  # type: ignore[attr-defined]  # their addresses stand in it
    return array


def _write(item: Any, words: list[int], own: bool, texts: list[Any]) -> None:
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
    elif isinstance(item, str):
        data = item.encode()
        texts.append(ctypes.create_string_buffer(len(data).to_bytes(8, sys.byteorder) + data))
        words += (TEXT, ctypes.addressof(texts[-1]))
    elif isinstance(item, (tuple, list)):
        words += (TUPLE if isinstance(item, tuple) else LIST, len(item))
        for part in item:
            _write(part, words, own, texts)
    elif isinstance(item, dict) and all(isinstance(key, str) for key in item):
        words += (DICT, len(item))
        for key, part in item.items():
            _write(key, words, own, texts)
            _write(part, words, own, texts)
    elif item is Default:
        words += (DEFAULT, 0)
    else:
        raise TypeError(
            f"a {type(item).__name__} cannot be handed to .NET; tensors, numbers, strings, None, tuples, lists and dicts by text can"
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
    if kind == TEXT:
        text = ctypes.string_at(bits + 8, ctypes.c_int64.from_address(bits).value).decode()
        start().exports.free_text(bits)
        return text, at
    if kind == DICT:
        found = {}
        for _ in range(bits):
            key, at = _read(words, at, owned)
            found[key], at = _read(words, at, owned)
        return found, at
    items = []
    for _ in range(bits):
        item, at = _read(words, at, owned)
        items.append(item)
    return (items if kind == LIST else tuple(items)), at
