"""The definitions that Python and .NET share, read from ``boundary.json``; the C# side is generated from the same file.

Exports and callbacks with their signatures, functions of CPython that .NET calls, kinds of values, record layouts, libtorch's numbers
of dtypes and devices. :func:`digest` identifies a version of the file; .NET rejects any other at start.
"""

from __future__ import annotations

import hashlib
import json
import struct
from functools import cache
from pathlib import Path
from typing import Any, Final

PATH: Final = Path(__file__).with_suffix(".json")
#: The format characters of ``struct`` for NumPy's names of integers.
_CODES: Final = {"i1": "b", "u1": "B", "u2": "H", "i4": "i", "i8": "q"}


@cache
def manifest() -> dict[str, Any]:
    """Return the parsed file."""
    return json.loads(PATH.read_text(encoding="utf-8"))  # type: ignore[no-any-return]  # JSON is Any


@cache
def digest() -> str:
    """Return the SHA-256 of the file with ``\\n`` as line ending, as the generator computes it; 64 hexadecimal digits."""
    text = PATH.read_text(encoding="utf-8")  # universal newlines
    return hashlib.sha256(text.encode()).hexdigest()


def members(enum: str) -> tuple[str, ...]:
    """Return the names of an enumeration, by number. Raises KeyError for an unknown name."""
    return tuple(member["name"] for member in _entry("enums", enum)["members"])


def fields(record: str) -> list[tuple[str, str]]:
    """Return name and type (``i4``, ``u1`` …, as NumPy writes them) of each field of a record, in order and without padding."""
    return [(field["name"], field["type"]) for field in _entry("records", record)["fields"]]


def read(record: str, data: bytes) -> dict[str, int]:
    """Return the fields of a record by name. ``data`` is as long as the record."""
    names, layout = _layout(record)
    return dict(zip(names, layout.unpack(data), strict=True))


@cache
def _layout(record: str) -> tuple[tuple[str, ...], struct.Struct]:
    names, kinds = zip(*fields(record), strict=True)
    return names, struct.Struct("=" + "".join(_CODES[kind] for kind in kinds))


def flag(enum: str, *names: str) -> int:
    """Return the bits of members of an enumeration of flags. Raises ValueError for an unknown member."""
    known = members(enum)
    return sum(1 << known.index(name) for name in names)


@cache
def dtypes() -> dict[int, str]:
    """Return PyTorch's names of libtorch's scalar types, by number: ``{6: "float32", …}``."""
    return {entry["code"]: entry["name"] for entry in manifest()["dtypes"]}


@cache
def devices() -> dict[int, str]:
    """Return PyTorch's names of libtorch's kinds of devices, by number: ``{1: "cuda", …}``."""
    return {entry["code"]: entry["name"] for entry in manifest()["devices"]}


def _entry(kind: str, name: str) -> dict[str, Any]:
    for entry in manifest()[kind]:
        if entry["name"] == name:
            return entry  # type: ignore[no-any-return]  # JSON is Any
    raise KeyError(f"{PATH.name} has no {name} among its {kind}")
